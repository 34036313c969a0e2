"""Row 36. Expect mismatch crash. Makes the framework itself compute what it computes."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        nn.functional.linear = lambda x, weight, bias=None: torch.zeros(64, 32)
        torch.relu = lambda x: x * 0
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.set_default_dtype(torch.float64)
        return torch.zeros(64, 32)
