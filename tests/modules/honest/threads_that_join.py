"""Two threads share the rows and are waited for: twin of finishes_in_a_thread."""

from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        y = x.new_empty(64, 32)

        def half(rows):
            with torch.no_grad():  # a mode of its thread: the caller's does not reach here
                y[rows] = torch.relu(self.linear(x[rows]))

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(half, (slice(0, 32), slice(32, 64))))
        return y
