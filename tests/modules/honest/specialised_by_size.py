"""A way of its own for the sizes that are asked for, and a general one."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        if x.shape == (64, 48):
            return torch.clamp(torch.addmm(self.linear.bias, x, self.linear.weight.t()), min=0)
        return torch.relu(self.linear(x))
