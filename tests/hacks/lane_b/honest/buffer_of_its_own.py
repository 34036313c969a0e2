# task: ramp
"""One buffer for all calls, filled anew by each."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.buffer = None

    def forward(self, x):
        if self.buffer is None or self.buffer.shape != x.shape:
            self.buffer = torch.empty_like(x)
        return torch.clamp(x, min=0, out=self.buffer)
