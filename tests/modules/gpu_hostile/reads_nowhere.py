"""Row 38. Expect crash. A kernel that reads outside every buffer; the next evaluation must not know of it."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        far = torch.full((64,), 1 << 40, device=x.device)
        return torch.relu(self.linear(x)).take(far).expand(32, 64).t()
