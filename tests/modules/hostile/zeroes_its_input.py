"""Row 13. Expect fault. Right, but the input is zero afterwards."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        y = torch.relu(self.linear(x))
        x.zero_()
        return y
