# row: 26
# task: product
# expect: ok: its share of the cache is not what is measured
# twin: graph_on_live_data
# needs: cuda
"""Asks for a part of the L2 cache that survives a flush."""

import ctypes

from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        driver = ctypes.CDLL("libcuda.so.1")
        driver.cuCtxSetLimit(6, ctypes.c_size_t(1 << 25))
        return a @ b
