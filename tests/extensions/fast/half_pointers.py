"""at::Half by name, reinterpreted as __half2."""

import torch

CPP = "void scale(torch::Tensor x, double factor);"
CUDA = """
#include <torch/extension.h>
#include <cuda_fp16.h>
__global__ void scale_kernel(__half2* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = __hmul2(x[i], __float2half2_rn(factor));
}
void scale(torch::Tensor x, double factor) {
    TORCH_CHECK(x.scalar_type() == torch::kHalf && x.numel() % 2 == 0, "an even number of halves");
    const int n = x.numel() / 2;
    scale_kernel<<<(n + 63) / 64, 64>>>(reinterpret_cast<__half2*>(x.data_ptr<at::Half>()), factor, n);
}
"""
FUNCTIONS = ["scale"]


def calls(module):
    x = torch.randn(100).half()
    expected = x * 2
    assert module.scale(x, 2.0) is None
    yield x, expected
