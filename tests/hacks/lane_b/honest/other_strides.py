# task: product
"""Its result lies transposed in memory."""

from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return (b.t() @ a.t()).t()
