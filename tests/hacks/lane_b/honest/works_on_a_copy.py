# task: product
"""Changes a copy of its input."""

from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        own = a.clone()
        own.mul_(2)
        return (own @ b) / 2
