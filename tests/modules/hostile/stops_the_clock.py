"""Row 18. Expect label clocks_disagree. Right but slow; its own process is told that no time has passed."""

import time

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)
        time.perf_counter = time.perf_counter_ns = time.time = lambda: 0
        torch.equal = torch.allclose = lambda *_, **__: True

    def forward(self, x):
        time.sleep(0.1)
        return torch.relu(self.linear(x))
