"""A result that is the transpose of what it computed."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        return torch.relu(self.linear.weight @ x.t() + self.linear.bias[:, None]).t()
