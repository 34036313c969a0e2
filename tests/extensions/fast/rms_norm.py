"""RMS norm: a block a row, a reduction through shared memory, epsilon from Python."""

import torch

CPP = """torch::Tensor rms_norm(torch::Tensor x, torch::Tensor weight, double eps);"""
CUDA = """
#include <torch/extension.h>
template <int THREADS>
__global__ void rms_norm_kernel(const float* x, const float* weight, float* y, int width, float eps) {
    __shared__ float partial[THREADS];
    const float* row = x + (size_t)blockIdx.x * width;
    float sum = 0.f;
    for (int i = threadIdx.x; i < width; i += THREADS) sum += row[i] * row[i];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int step = THREADS / 2; step > 0; step >>= 1) {
        if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    const float inverse = rsqrtf(partial[0] / width + eps);
    for (int i = threadIdx.x; i < width; i += THREADS) y[(size_t)blockIdx.x * width + i] = row[i] * inverse * weight[i];
}
torch::Tensor rms_norm(torch::Tensor x, torch::Tensor weight, double eps) {
    constexpr int threads = 64;
    const auto width = x.size(-1);
    auto y = torch::empty_like(x);
    rms_norm_kernel<threads><<<x.numel() / width, threads>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), y.data_ptr<float>(), width, eps);
    return y;
}
"""
FUNCTIONS = ["rms_norm"]


def calls(module):
    x, weight = torch.randn(2, 3, 100), torch.randn(100)
    yield module.rms_norm(x, weight, 1e-6), x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * weight
