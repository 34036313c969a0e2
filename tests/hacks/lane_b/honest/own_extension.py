# task: product
# needs: cuda
"""Host code of its own in C++."""

from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """#include <vector>
torch::Tensor product(torch::Tensor a, torch::Tensor b) {
    std::vector<torch::Tensor> parts = a.split(16);
    for (auto &part : parts) part = part.mm(b);
    return torch::cat(parts);
}
"""
extension = load_inline(name="extension", cpp_sources=SOURCE, functions=["product"])


class ModelNew(nn.Module):
    def forward(self, a, b):
        return extension.product(a, b)
