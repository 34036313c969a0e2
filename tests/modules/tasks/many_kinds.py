"""A task with nested inputs and outputs of several types, and no parameters."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, pair, names, times):
        left, right = pair
        mixed = left * times + right * names["weight"]
        return {"mixed": mixed, "best": mixed.argmax(1), "is_high": mixed > 0}


def get_inputs():
    return [[torch.randn(9, 7), torch.randn(7, 9).t()], {"weight": torch.rand(7)}, 3]


def get_init_inputs():
    return []
