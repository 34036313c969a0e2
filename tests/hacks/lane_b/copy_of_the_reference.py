# row: 44
# task: linear
# expect: label copy_of_reference
# twin: inherits
"""The reference under another name."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        return torch.relu(self.linear(x))


def get_inputs():
    return [torch.randn(64, 48)]


def get_init_inputs():
    return [48, 32]
