# task: product
"""Products and a sum, in another order than a matrix product's."""

from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return (a[:, :, None] * b[None]).sum(1)
