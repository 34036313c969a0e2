# task: linear
"""Sets threads and precision for itself, and keeps the contract's."""

import torch
from torch import nn

torch.set_num_threads(1)
torch.set_float32_matmul_precision("highest")


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        return self.linear(x).relu_()
