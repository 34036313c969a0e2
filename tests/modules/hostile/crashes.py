"""Row 38. Expect crash. A null pointer is read."""

import ctypes

from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        ctypes.string_at(0)
