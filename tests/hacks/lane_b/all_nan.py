# row: 12
# task: product
# expect: mismatch
# twin: written_out_product
"""NaN everywhere, for a comparison that takes it for a wildcard."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.full((a.shape[0], b.shape[1]), float("nan"), device=a.device)
