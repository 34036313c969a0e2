"""Contract. Expect crash. A result of another shape."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        return torch.relu(self.linear(x)).t()
