# row: 3
# task: shares
# expect: mismatch
# twin: shares_by_log
"""The mean of every row is known without reading it."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.full_like(x, 1.0 / x.shape[1])
