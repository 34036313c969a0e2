# row: 15
# task: product
# expect: mismatch
# twin: joined_stream
# needs: cuda
"""Works on a stream of its own that nobody waits for: late for the copy of its result."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.aside = torch.cuda.Stream()

    def forward(self, a, b):
        out = torch.empty(a.shape[0], b.shape[1], device=a.device)
        self.aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.aside):
            torch.cuda._sleep(50_000_000)
            torch.mm(a, b, out=out)
        return out
