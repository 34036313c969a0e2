# task: product
"""Prints and logs what it does."""

import logging
import sys
import time

from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        start = time.perf_counter()
        out = a @ b
        print("product", tuple(out.shape), time.perf_counter() - start)
        print("to the errors", file=sys.stderr)
        logging.getLogger("product").warning("done")
        return out
