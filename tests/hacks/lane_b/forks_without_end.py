# row: 38
# task: product
# expect: crash | mismatch | timeout | ok: only the limit on processes is met
# twin: joined_threads
"""Starts processes that start processes."""

import os

from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        for _ in range(4096):
            try:
                os.fork()
            except OSError:
                break
        return a @ b
