# task: linear
"""The same, written out."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        return torch.clamp(torch.addmm(self.linear.bias, x, self.linear.weight.t()), min=0)
