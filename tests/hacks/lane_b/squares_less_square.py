# row: 9
# task: spread
# expect: mismatch
# twin: spread_in_two_passes
"""The mean of squares less the square of the mean."""

from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return (x * x).mean(dim=1) - x.mean(dim=1) ** 2
