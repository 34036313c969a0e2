"""A batched matrix product in a grid of three dimensions; named sizes from size()."""

import torch

CPP = """torch::Tensor bmm(torch::Tensor a, torch::Tensor b);"""
CUDA = """
#include <torch/extension.h>
__global__ void bmm_kernel(const float* a, const float* b, float* c, int m, int k, int n) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    a += (size_t)blockIdx.z * m * k;
    b += (size_t)blockIdx.z * k * n;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
    c[((size_t)blockIdx.z * m + row) * n + column] = sum;
}
torch::Tensor bmm(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.size(0) == b.size(0) && a.size(2) == b.size(1), "shapes do not fit");
    const auto batch = a.size(0), m = a.size(1), k = a.size(2), n = b.size(2);
    auto c = torch::empty({batch, m, n}, a.options());
    dim3 block(16, 8);
    dim3 grid((n + block.x - 1) / block.x, (m + block.y - 1) / block.y, batch);
    bmm_kernel<<<grid, block>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, k, n);
    return c;
}
"""
FUNCTIONS = ["bmm"]


def calls(module):
    a, b = torch.randn(3, 9, 17), torch.randn(3, 17, 20)
    yield module.bmm(a, b), a @ b
