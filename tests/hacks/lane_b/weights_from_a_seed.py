# row: 7
# task: linear
# expect: mismatch
# twin: transposed_weights
"""The weights that a fixed seed gives, baked in."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            self.baked = nn.Linear(width, depth).requires_grad_(False)

    def forward(self, x):
        return torch.relu(self.baked(x))
