# row: 36
# task: product
# expect: mismatch
# twin: double_inside
"""Changes torch's settings, so that a reference in the same process would be as coarse as it is."""

import torch
from torch import nn

torch.set_float32_matmul_precision("medium")
torch.backends.cuda.matmul.allow_tf32 = True
torch.set_default_dtype(torch.bfloat16)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return (a.bfloat16() @ b.bfloat16()).float()
