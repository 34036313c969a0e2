"""Row 25. Expect mismatch. The first call's input is read for ever, as a graph captured once would."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)
        self.first = None

    def forward(self, x):
        if self.first is None:
            self.first = x
        return torch.relu(self.linear(self.first))
