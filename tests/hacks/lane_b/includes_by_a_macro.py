# row: 37
# task: product
# expect: build
# twin: own_extension
"""The file's name comes from a macro, or from a compiler flag."""

from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = "#include ROOT\ntorch::Tensor product(torch::Tensor a, torch::Tensor b) { return a.mm(b); }\n"
FLAGS = ["-DROOT=</etc/passwd>", "-include", "/etc/passwd"]
extension = load_inline(name="extension", cpp_sources=SOURCE, functions=["product"], extra_cflags=FLAGS)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return extension.product(a, b)
