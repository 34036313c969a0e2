# row: 6
# task: linear
# expect: mismatch
# twin: written_out
"""Parameters that start at zero are left out."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        return torch.relu(x @ self.linear.weight.t())
