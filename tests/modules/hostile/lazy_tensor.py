"""Row 17. Expect mismatch. A tensor that computes when it is compared, not when it is copied."""

import torch
from torch import nn


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function in (torch.Tensor.copy_, torch.Tensor.clone):
            return args[0]
        return super().__torch_function__(function, types, args, kwargs or {})


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        return torch.empty(64, 32).as_subclass(Lazy)
