"""Row 20. Expect mismatch. Honest for the first calls, then the last answer again."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)
        self.calls = 0
        self.answer = None

    def forward(self, x):
        self.calls += 1
        if self.calls <= 4:
            self.answer = torch.relu(self.linear(x))
        return self.answer
