"""The layer as a Triton kernel."""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def linear_rows(x, weight, bias, y, WIDTH: tl.constexpr, DEPTH: tl.constexpr, PADDED: tl.constexpr):
    row = tl.program_id(0)
    k = tl.arange(0, PADDED)
    j = tl.arange(0, DEPTH)
    left = tl.load(x + row * WIDTH + k, mask=k < WIDTH, other=0.0)
    right = tl.load(weight + j[:, None] * WIDTH + k[None, :], mask=k[None, :] < WIDTH, other=0.0)
    total = tl.sum(right * left[None, :], axis=1) + tl.load(bias + j)
    tl.store(y + row * DEPTH + j, tl.maximum(total, 0.0))


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        width, depth = x.shape[1], self.linear.out_features
        y = torch.empty(x.shape[0], depth, device=x.device)
        padded = triton.next_power_of_2(width)
        linear_rows[(x.shape[0],)](x, self.linear.weight, self.linear.bias, y, WIDTH=width, DEPTH=depth, PADDED=padded)
        return y
