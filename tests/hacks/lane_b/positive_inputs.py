# row: 5
# task: ramp
# expect: mismatch
# twin: clamped
"""A copy, since all inputs seem to be positive."""

from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.clone()
