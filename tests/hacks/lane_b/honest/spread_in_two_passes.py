# task: spread
"""The mean first."""

from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        rest = x - x.mean(dim=1, keepdim=True)
        return (rest * rest).mean(dim=1)
