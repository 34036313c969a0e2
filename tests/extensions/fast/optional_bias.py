"""An optional tensor, and a null pointer where there is none."""

import torch

CPP = """torch::Tensor affine(torch::Tensor x, torch::Tensor scale, c10::optional<torch::Tensor> bias);"""
CUDA = """
#include <torch/extension.h>
__global__ void affine_kernel(const float* x, const float* scale, const float* bias, float* y, int rows, int width) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (column >= width) return;
    float value = x[row * width + column] * scale[column];
    y[row * width + column] = bias != nullptr ? value + bias[column] : value;
}
torch::Tensor affine(torch::Tensor x, torch::Tensor scale, c10::optional<torch::Tensor> bias) {
    auto y = torch::empty_like(x);
    const int rows = x.size(0), width = x.size(1);
    const float* added = bias.has_value() ? bias.value().data_ptr<float>() : nullptr;
    affine_kernel<<<dim3((width + 31) / 32, rows), 32>>>(
        x.data_ptr<float>(), scale.data_ptr<float>(), added, y.data_ptr<float>(), rows, width);
    return y;
}
"""
FUNCTIONS = ["affine"]


def calls(module):
    x, scale, bias = torch.randn(4, 40), torch.randn(40), torch.randn(40)
    yield module.affine(x, scale, bias), x * scale + bias
    yield module.affine(x, scale, None), x * scale
