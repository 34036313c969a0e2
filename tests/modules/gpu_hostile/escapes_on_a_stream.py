"""Row 15. Expect mismatch. Work on a stream of its own that nobody waits for, with the wait itself switched off."""

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
        shim, place = frame.f_locals["self"], frame.f_locals["places"].outputs[0]
        shim.wait = lambda: None
        memory = shim.slots_memory[place.offset_bytes : place.offset_bytes + place.size_bytes]
        room = memory.view(torch.float32).view(place.shape)
        with torch.cuda.stream(self.stream):
            torch.cuda._sleep(400_000_000)
            room.copy_(torch.relu(self.linear(x)))
        return room
