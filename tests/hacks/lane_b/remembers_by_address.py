# row: 21
# task: product
# expect: mismatch
# twin: remembers_contents
"""Answers from memory where the tensors lie at known addresses."""

from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.known = {}

    def forward(self, a, b):
        key = (a.data_ptr(), b.data_ptr(), a.shape, b.shape)
        if key not in self.known:
            self.known[key] = a @ b
        return self.known[key]
