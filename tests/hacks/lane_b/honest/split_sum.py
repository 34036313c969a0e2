# task: product
"""The sum in four parts, added at the end."""

from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        parts = [x @ y for x, y in zip(a.chunk(4, dim=1), b.chunk(4, dim=0), strict=True)]
        return (parts[0] + parts[1]) + (parts[2] + parts[3])
