"""Bias and GELU in one pass; macros check the inputs; the stream is asked for."""

import torch

CPP = "torch::Tensor bias_gelu(const torch::Tensor& x, const torch::Tensor& bias);"
CUDA = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

#define CHECK_CUDA(x) TORCH_CHECK(x.device().is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x) do { CHECK_CUDA(x); CHECK_CONTIGUOUS(x); } while (0)

__device__ __forceinline__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); }

__global__ void bias_gelu_kernel(const float* __restrict__ x, const float* __restrict__ bias, float* __restrict__ y,
                                 int64_t total, int64_t width) {
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < total; i += (int64_t)gridDim.x * blockDim.x)
        y[i] = gelu(x[i] + bias[i % width]);
}

torch::Tensor bias_gelu(const torch::Tensor& x, const torch::Tensor& bias) {
    CHECK_INPUT(x);
    CHECK_INPUT(bias);
    const at::cuda::OptionalCUDAGuard device_guard(device_of(x));
    TORCH_CHECK(x.size(-1) == bias.size(0), "widths differ: ", x.size(-1), " and ", bias.size(0));
    auto y = torch::empty(x.sizes(), x.options());
    const int64_t total = x.numel();
    const int blocks = static_cast<int>(std::min<int64_t>((total + 127) / 128, 64));
    cudaStream_t stream = at::cuda::getCurrentCUDAStream();
    bias_gelu_kernel<<<blocks, 128, 0, stream>>>(x.data_ptr<float>(), bias.data_ptr<float>(),
                                                 y.data_ptr<float>(), total, bias.size(0));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}
"""
FUNCTIONS = ["bias_gelu"]


def calls(module):
    x, bias = torch.randn(9, 40), torch.randn(40)
    yield module.bias_gelu(x, bias), torch.nn.functional.gelu(x + bias)


FAILING = [
    (lambda module: module.bias_gelu(torch.ones(4, 6).t(), torch.ones(4)), RuntimeError, "x must be contiguous"),
    (lambda module: module.bias_gelu(torch.ones(4, 6), torch.ones(4)), RuntimeError, "widths differ: 6 and 4"),
    (
        lambda module: module.bias_gelu(torch.ones(4, 6).double(), torch.ones(6)),
        RuntimeError,
        "expected scalar type Float but found Double",
    ),
    (lambda module: module.bias_gelu(torch.ones(4, 6)), TypeError, "2 arguments"),
    (lambda module: module.bias_gelu(torch.ones(4, 6), 3), TypeError, "argument 2"),
]
