"""Dynamic shared memory whose size comes from the tensor; cudaFuncSetAttribute before it."""

import torch

CPP = """torch::Tensor reversed(torch::Tensor x);"""
CUDA = """
#include <torch/extension.h>
__global__ void reverse_kernel(const float* x, float* y, int width) {
    extern __shared__ float row[];
    for (int i = threadIdx.x; i < width; i += blockDim.x) row[i] = x[blockIdx.x * width + i];
    __syncthreads();
    for (int i = threadIdx.x; i < width; i += blockDim.x) y[blockIdx.x * width + i] = row[width - 1 - i];
}
torch::Tensor reversed(torch::Tensor x) {
    auto y = torch::empty_like(x);
    const int width = x.size(1);
    const size_t bytes = width * sizeof(float);
    cudaFuncSetAttribute(reverse_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    reverse_kernel<<<x.size(0), 96, bytes>>>(x.data_ptr<float>(), y.data_ptr<float>(), width);
    return y;
}
"""
FUNCTIONS = ["reversed"]


def calls(module):
    x = torch.randn(3, 130)
    yield module.reversed(x), x.flip(1)
