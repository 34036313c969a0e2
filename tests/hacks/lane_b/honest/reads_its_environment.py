# task: product
"""Takes a tile's size from the environment, as programs do."""

import os

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        tile = int(os.environ.get("PRODUCT_TILE", "32"))
        return torch.cat([part @ b for part in a.split(tile)])
