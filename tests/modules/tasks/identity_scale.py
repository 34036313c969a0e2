"""A task whose parameters start at their identities: a candidate that forgets them shows only when they change."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))
        self.shift = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return x * self.scale + self.shift


def get_inputs():
    return [torch.randn(16, 24)]


def get_init_inputs():
    return [24]
