# row: 11
# task: shares
# expect: mismatch
# twin: shares_by_log
"""Along columns."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=0)
