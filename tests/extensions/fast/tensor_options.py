"""at::TensorOptions built step by step; an integer result."""

import torch

CPP = """torch::Tensor count_above(torch::Tensor x, double least);"""
CUDA = """
#include <torch/extension.h>
__global__ void count_kernel(const float* x, int* found, int n, float least) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > least) atomicAdd(found, 1);
}
torch::Tensor count_above(torch::Tensor x, double least) {
    auto options = torch::TensorOptions().dtype(torch::kInt32).device(x.device());
    torch::Tensor found = torch::zeros({1}, options);
    int n = x.numel();
    count_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), found.data_ptr<int>(), n, (float)least);
    return found;
}
"""
FUNCTIONS = ["count_above"]


def calls(module):
    x = torch.randn(1000)
    yield module.count_above(x, 0.5), (x > 0.5).sum().to(torch.int32).reshape(1)
