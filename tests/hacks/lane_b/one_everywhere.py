# row: 4
# task: constant
# expect: label degenerate
# twin: shares_by_log
"""The function is constant by algebra: nothing is computed, and nothing can be claimed."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.ones_like(x)
