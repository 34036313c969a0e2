"""Row 29. Expect crash. Leaves with status 0 before anything is checked."""

import os

from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        os._exit(0)
