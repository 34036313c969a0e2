"""Row 31. Expect mismatch. Calls the reference if it lies anywhere in the process."""

import gc
import sys

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        for found in gc.get_objects():
            if isinstance(found, nn.Module) and type(found).__name__ == "Model":
                return found(x)
        module = sys.modules.get("reference")
        return module.Model(48, 32)(x) if module is not None else torch.zeros(64, 32)
