"""Batch normalisation in training: running statistics change with each call, and parameters start at identities."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.BatchNorm1d(width)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(32, 10)]


def get_init_inputs():
    return [10]
