"""float4 where the size allows it, else one by one: a choice in host code."""

import torch

CPP = """torch::Tensor scaled(torch::Tensor x, double by);"""
CUDA = """
#include <torch/extension.h>
__global__ void by_four(const float4* x, float4* y, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float4 v = x[i]; y[i] = make_float4(v.x * by, v.y * by, v.z * by, v.w * by); }
}
__global__ void by_one(const float* x, float* y, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * by;
}
torch::Tensor scaled(torch::Tensor x, double by) {
    auto y = torch::empty_like(x);
    const int n = x.numel();
    if (n % 4 == 0) {
        by_four<<<(n / 4 + 127) / 128, 128>>>(reinterpret_cast<const float4*>(x.data_ptr<float>()),
                                              reinterpret_cast<float4*>(y.data_ptr<float>()), by, n / 4);
    } else {
        by_one<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), by, n);
    }
    return y;
}
"""
FUNCTIONS = ["scaled"]


def calls(module):
    for n in (64, 65):
        x = torch.randn(n)
        yield module.scaled(x, 1.5), x * 1.5
