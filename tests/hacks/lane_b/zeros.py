# row: 3
# task: shares
# expect: mismatch
# twin: shares_by_log
"""Zeros lie near small outputs in absolute terms."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.zeros_like(x)
