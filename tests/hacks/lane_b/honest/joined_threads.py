# task: ramp
"""Two threads do a half each and are waited for."""

import threading

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        half = len(x) // 2

        def work(part):
            out[part] = torch.relu(x[part])

        threads = [threading.Thread(target=work, args=(part,)) for part in (slice(0, half), slice(half, None))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return out
