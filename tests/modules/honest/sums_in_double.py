"""More precision than is asked for."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        product = x.double() @ self.linear.weight.t().double()
        return torch.relu(product + self.linear.bias).float()
