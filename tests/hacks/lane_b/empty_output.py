# row: 1
# task: linear
# expect: mismatch
# twin: written_out
"""Returns memory as it was allocated: the reference's result may have lain there."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        return torch.empty(x.shape[0], self.linear.out_features, device=x.device)
