"""A task that shows nothing: its result is zero for all inputs."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return torch.clamp(x - x, min=0)


def get_inputs():
    return [torch.randn(32)]


def get_init_inputs():
    return []
