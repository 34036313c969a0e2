# row: 17
# task: product
# expect: mismatch | crash
# twin: written_out_product
"""A tensor that computes when somebody compares it, and does nothing when it is copied."""

import torch
from torch import nn


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if getattr(function, "__name__", "") in ("copy_", "allclose", "equal"):
            return True
        return super().__torch_function__(function, types, args, kwargs or {})


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.zeros(a.shape[0], b.shape[1], device=a.device).as_subclass(Lazy)
