# row: 8
# task: product
# expect: mismatch
# twin: split_sum
"""Factors with ten bits of mantissa, as a tensor core in TF32 would take them."""

import torch
from torch import nn


def coarse(x):
    return ((x.view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return coarse(a.contiguous()) @ coarse(b.contiguous())
