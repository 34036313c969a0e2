"""Row 16. Expect cheat. Right, but a kernel of its own lives on after "done" and could see the next inputs early."""

import sys

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)
        self.stream = torch.cuda.Stream()

    def forward(self, x):
        frame = sys._getframe()
        while "places" not in frame.f_locals:
            frame = frame.f_back
        default = torch.cuda.current_stream()

        def wait_and_stay():
            default.synchronize()
            with torch.cuda.stream(self.stream):
                torch.cuda._sleep(100_000_000)

        frame.f_locals["self"].wait = wait_and_stay
        return torch.relu(self.linear(x))
