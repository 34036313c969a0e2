# row: 29
# task: product
# expect: crash
# twin: tries_and_excepts
"""Ends its process with success at the first call."""

import os

from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        os._exit(0)
