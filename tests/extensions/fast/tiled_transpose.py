"""A transpose through a tile of shared memory with a padded column; sizes by structured names."""

import torch

CPP = """torch::Tensor transposed(torch::Tensor x);"""
CUDA = """
#include <torch/extension.h>
#define TILE 16
__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < rows && y < columns) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
torch::Tensor transposed(torch::Tensor x) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");
    TORCH_CHECK(x.dtype() == torch::kFloat32, "x must be float32");
    const int rows = x.size(0), columns = x.size(1);
    auto out = torch::empty({columns, rows}, x.options());
    const dim3 threads(TILE, TILE);
    const dim3 blocks((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    transpose_kernel<<<blocks, threads>>>(x.data_ptr<float>(), out.data_ptr<float>(), rows, columns);
    return out;
}
"""
FUNCTIONS = ["transposed"]


def calls(module):
    x = torch.randn(37, 50)
    yield module.transposed(x), x.t().contiguous()
