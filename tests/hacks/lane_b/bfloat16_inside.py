# row: 8
# task: product
# expect: mismatch
# twin: double_inside
"""Factors in bfloat16, within a contract of float32."""

from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return (a.bfloat16().float() @ b.bfloat16().float()).float()
