# row: 21
# task: product
# expect: mismatch
# twin: remembers_contents
"""Answers from memory where the first elements are known."""

from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.known = {}

    def forward(self, a, b):
        key = (tuple(a.view(-1)[:8].tolist()), tuple(b.view(-1)[:8].tolist()))
        if key not in self.known:
            self.known[key] = a @ b
        return self.known[key]
