# row: 13
# task: product
# expect: fault
# twin: works_on_a_copy
"""Zeroes its inputs and answers with zeros: a later reference on the same tensors agrees."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        a.zero_()
        return torch.zeros(a.shape[0], b.shape[1], device=a.device)
