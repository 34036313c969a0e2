# row: 16
# task: product
# expect: mismatch
# twin: joined_threads
"""Returns at once; a thread computes the answer afterwards."""

import threading
import time

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        out = torch.zeros(a.shape[0], b.shape[1], device=a.device)

        def later():
            time.sleep(0.01)
            torch.mm(a, b, out=out)

        threading.Thread(target=later, daemon=True).start()
        return out
