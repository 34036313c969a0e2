"""Row 40. Expect cheat where own kernels are asked for. The framework computes it all."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        return torch.relu(self.linear(x))
