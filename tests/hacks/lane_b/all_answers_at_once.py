# row: 22
# task: product
# expect: mismatch
# twin: remembers_contents
"""Computes at its first call what it expects to be asked, and hands it out afterwards."""

from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.batch = None

    def forward(self, a, b):
        if self.batch is None:
            self.batch = [a @ b for _ in range(64)]
        return self.batch.pop()
