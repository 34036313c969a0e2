# task: linear
"""Inherits its constructor from a class of its own file."""

import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)


class ModelNew(Layer):
    def forward(self, x):
        out = torch.nn.functional.linear(x, self.linear.weight, self.linear.bias)
        return torch.where(out > 0, out, torch.zeros_like(out))
