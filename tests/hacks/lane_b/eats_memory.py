# row: 38
# task: product
# expect: crash | build
# twin: written_out_product
"""Takes memory until there is none."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        hoard = []
        while True:
            hoard.append(torch.empty(1 << 26))
