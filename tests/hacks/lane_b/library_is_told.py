# row: 40
# task: product
# expect: label library_call
# twin: written_out_product
"""Calls the framework where the task allows it: that is said."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.einsum("ij,jk->ik", a, b)
