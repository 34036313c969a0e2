# row: 27
# task: linear
# expect: label weights_prepared
# twin: transposed_weights
"""Takes what it needs of its weights in the constructor: work that no call pays for."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)
        self.ready = self.linear.weight.detach().t().contiguous()
        self.shift = self.linear.bias.detach().clone()

    def forward(self, x):
        return torch.relu(x @ self.ready + self.shift)
