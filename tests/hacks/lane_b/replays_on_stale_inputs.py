# row: 25
# task: product
# expect: mismatch
# twin: graph_on_live_data
# needs: cuda
"""A graph captured on copies of the first inputs, replayed without looking at later ones."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.graph = None

    def forward(self, a, b):
        if self.graph is None:
            self.a, self.b = a.clone(), b.clone()
            self.a @ self.b
            torch.cuda.synchronize()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.out = self.a @ self.b
        self.graph.replay()
        return self.out
