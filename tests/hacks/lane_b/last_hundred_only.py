# row: 10
# task: running
# expect: mismatch
# twin: running_in_chunks
"""Sums the last hundred elements only: what lies further back seems not to matter."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        sums = torch.cumsum(x, dim=1)
        sums[:, 100:] -= sums[:, :-100].clone()
        return sums
