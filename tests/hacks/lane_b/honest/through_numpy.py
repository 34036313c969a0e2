# task: ramp
"""Through NumPy."""

import numpy as np
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.from_numpy(np.maximum(x.cpu().numpy(), 0)).to(x.device)
