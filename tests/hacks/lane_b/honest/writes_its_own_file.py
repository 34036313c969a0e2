# task: product
"""Keeps its plan in a file of the temporary folder and reads it again."""

import json
import tempfile
from pathlib import Path

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.plan = Path(tempfile.mkdtemp()) / "plan.json"
        self.plan.write_text(json.dumps({"tile": 8}))

    def forward(self, a, b):
        tile = json.loads(self.plan.read_text())["tile"]
        return torch.cat([part @ b for part in a.split(tile)])
