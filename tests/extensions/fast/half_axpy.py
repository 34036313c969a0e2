"""Half precision by AT_DISPATCH_FLOATING_TYPES_AND_HALF, computed in float; a lambda without parentheses."""

import torch

CPP = "torch::Tensor axpy(double a, torch::Tensor x, torch::Tensor y);"
CUDA = """
#include <torch/extension.h>
#include <cuda_fp16.h>
template <typename T>
__global__ void axpy_kernel(float a, const T* x, T* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = static_cast<T>(a * static_cast<float>(x[i]) + static_cast<float>(y[i]));
}
torch::Tensor axpy(double a, torch::Tensor x, torch::Tensor y) {
    auto out = y.clone();
    const int n = out.numel();
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "axpy", [&] {
        const scalar_t* from = x.data_ptr<scalar_t>();
        axpy_kernel<scalar_t><<<(n + 127) / 128, 128>>>(a, from, out.data_ptr<scalar_t>(), n);
    });
    return out;
}
"""
FUNCTIONS = "axpy"


def calls(module):
    for dtype in (torch.float16, torch.float32):
        x, y = torch.randn(300).to(dtype), torch.randn(300).to(dtype)
        yield module.axpy(0.5, x, y), (0.5 * x.float() + y.float()).to(dtype)
