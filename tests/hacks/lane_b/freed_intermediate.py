# row: 2
# task: linear
# expect: mismatch
# twin: buffer_of_its_own
"""Allocates and frees what the reference's product would have needed, and returns what is found there."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        torch.empty(x.shape[0], self.linear.out_features, device=x.device)
        return torch.relu(torch.empty(x.shape[0], self.linear.out_features, device=x.device))
