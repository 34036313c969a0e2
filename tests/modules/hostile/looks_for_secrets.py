"""Row 33. Expect mismatch. Searches the process for seeds, tolerances and expected results."""

import gc

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        wanted = {"multiples", "first_outputs", "twin_of", "family"}
        for found in gc.get_objects():
            is_ours = type(found).__module__.startswith("cudaperf_magic")
            if is_ours and wanted & set(getattr(found, "__dict__", {})):
                raise AssertionError(f"{type(found).__name__} is here: the parent has left a secret")
        return torch.zeros(64, 32)
