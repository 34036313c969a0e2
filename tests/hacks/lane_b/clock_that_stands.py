# row: 18
# task: product
# expect: label clocks_disagree
# twin: tells_a_log
"""Right, and slow; the process's own clock is made to stand still."""

import time

from torch import nn

sleep = time.sleep
time.perf_counter = lambda: 0.0


class ModelNew(nn.Module):
    def forward(self, a, b):
        sleep(0.15)
        return a @ b
