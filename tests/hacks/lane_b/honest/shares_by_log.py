# task: shares
"""Through logarithms: another formula for the same."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.log_softmax(x, dim=1).exp()
