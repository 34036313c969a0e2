"""The linear layer in C++, through load_inline."""

from torch import nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
torch::Tensor linear_relu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
    auto y = torch::empty({x.size(0), weight.size(0)});
    const float *in = x.data_ptr<float>(), *w = weight.data_ptr<float>(), *b = bias.data_ptr<float>();
    float *out = y.data_ptr<float>();
    const int64_t rows = x.size(0), columns = weight.size(0), depth = x.size(1);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            float sum = b[j];
            for (int64_t k = 0; k < depth; k++) sum += in[i * depth + k] * w[j * depth + k];
            out[i * columns + j] = sum > 0 ? sum : 0;
        }
    return y;
}
"""

extension = load_inline(name="ext", cpp_sources=CPP, functions=["linear_relu"])


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.linear = nn.Linear(width, depth)

    def forward(self, x):
        return extension.linear_relu(x, self.linear.weight, self.linear.bias)
