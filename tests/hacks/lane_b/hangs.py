# row: 38
# task: product
# expect: timeout
# twin: joined_threads
"""Never returns."""

from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        while True:
            pass
