"""AT_DISPATCH_FLOATING_TYPES_AND2 with half and bfloat16."""

import torch

CPP = """torch::Tensor silu(torch::Tensor x);"""
CUDA = """
#include <torch/extension.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
template <typename scalar_t>
__global__ void silu_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t n) {
    const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < n) {
        const float v = static_cast<float>(x[i]);
        y[i] = static_cast<scalar_t>(v / (1.0f + expf(-v)));
    }
}
torch::Tensor silu(torch::Tensor x) {
    auto y = torch::empty_like(x);
    const int64_t n = x.numel();
    AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "silu", ([&] {
        silu_kernel<scalar_t><<<(n + 255) / 256, 256>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), n);
    }));
    return y;
}
"""
FUNCTIONS = ["silu"]


def calls(module):
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        x = torch.randn(70).to(dtype)
        yield module.silu(x), torch.nn.functional.silu(x.float()).to(dtype)
