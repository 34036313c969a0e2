"""Parameters under other names, made by the same draws."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        layer = nn.Linear(width, depth)
        self.matrix, self.offset = layer.weight, layer.bias

    def forward(self, x):
        return torch.relu(torch.addmm(self.offset, x, self.matrix.t()))
