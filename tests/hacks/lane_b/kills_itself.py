# row: 38
# task: product
# expect: crash
# twin: tries_and_excepts
"""Ends by a signal that nobody can handle."""

import os
import signal

from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        os.kill(os.getpid(), signal.SIGKILL)
        return a @ b
