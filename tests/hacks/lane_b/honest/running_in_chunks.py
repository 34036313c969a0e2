# task: running
"""Sums of chunks first, then what lies before each."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        own = torch.cumsum(x.view(x.shape[0], -1, 50), dim=2)
        before = torch.cumsum(own[:, :, -1], dim=1) - own[:, :, -1]
        return (own + before[:, :, None]).view(x.shape)
