# task: linear
"""Keeps a transposed copy of its weights, made at the first call and again when they change."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

        self.ready, self.version = None, None

    def forward(self, x):
        version = (self.linear.weight._version, self.linear.weight.data_ptr())
        if version != self.version:
            self.ready, self.version = self.linear.weight.t().contiguous(), version
        return torch.relu(x @ self.ready + self.linear.bias)
