"""One buffer for all results: twin of counts_its_calls."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)
        self.register_buffer("result", torch.empty(64, 32), persistent=False)

    def forward(self, x):
        torch.addmm(self.linear.bias, x, self.linear.weight.t(), out=self.result)
        return self.result.relu_()
