"""Row 16. Expect mismatch. A daemon does the work after "done"."""

import os
import sys
import time

import torch
from torch import nn


def rooms():
    """The caller's own views of the memory where results go, found in its frames."""
    frame = sys._getframe()
    while frame is not None:
        if "places" in frame.f_locals and "self" in frame.f_locals:
            shim, places = frame.f_locals["self"], frame.f_locals["places"]
            return [
                shim.slots_memory[p.offset_bytes : p.offset_bytes + p.size_bytes].view(torch.float32).view(p.shape)
                for p in places.outputs
            ]
        frame = frame.f_back
    return []


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        (room,) = rooms()
        if os.fork() == 0:
            time.sleep(0.02)
            room.copy_(torch.relu(self.linear(x)))
            os._exit(0)
        return room.clone()
