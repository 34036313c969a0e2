# row: 14
# task: ramp
# expect: mismatch
# twin: buffer_of_its_own
"""Returns one view of a buffer each time, and halves it at the next call before it computes too little anew."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.buffer = None

    def forward(self, x):
        if self.buffer is None:
            self.buffer = torch.relu(x)
        else:
            self.buffer[: len(x) // 2] = torch.relu(x[: len(x) // 2])
        return self.buffer
