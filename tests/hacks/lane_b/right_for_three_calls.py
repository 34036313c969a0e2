# row: 20
# task: product
# expect: mismatch
# twin: written_out_product
"""Right for the calls that might be a warm-up; then it computes a corner."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, a, b):
        self.calls += 1
        if self.calls <= 3:
            return a @ b
        out = torch.zeros(a.shape[0], b.shape[1], device=a.device)
        out[:4] = a[:4] @ b
        return out
