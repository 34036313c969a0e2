"""A tiled product with a two-dimensional grid, and a static constant in a struct."""

import torch

CPP = "torch::Tensor matmul(torch::Tensor a, torch::Tensor b);"
CUDA = """
#define TILE 16
__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float acc = 0.0f;
    for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
        int x = t * TILE + threadIdx.x, y = t * TILE + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = row < M && x < K ? A[row * K + x] : 0.f;
        Bs[threadIdx.y][threadIdx.x] = col < N && y < K ? B[y * N + col] : 0.f;
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < TILE; ++k) acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
torch::Tensor matmul(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.size(1) == b.size(0), "cannot multiply ", a.sizes(), " by ", b.sizes());
    TORCH_CHECK(a.dtype() == torch::kFloat32 && b.scalar_type() == at::ScalarType::Float,
                "float32 only, not ", a.scalar_type());
    a = a.contiguous();
    b = b.contiguous();
    int M = a.size(0), K = a.size(1), N = b.size(1);
    torch::Tensor c = torch::zeros({M, N}, a.options());
    dim3 threads(TILE, TILE);
    dim3 blocks((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    matmul_kernel<<<blocks, threads>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), M, N, K);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) {
        printf("CUDA error: %s\\n", cudaGetErrorString(err));
    }
    return c;
}
"""
FUNCTIONS = ["matmul"]


def calls(module):
    a, b = torch.randn(20, 33), torch.randn(33, 18)
    yield module.matmul(a, b), a @ b
    yield module.matmul(a, b.t().contiguous().t()), a @ b


FAILING = [
    (lambda m: m.matmul(torch.ones(2, 3), torch.ones(2, 3)), RuntimeError, "cannot multiply [2, 3] by [2, 3]"),
    (lambda m: m.matmul(torch.ones(2, 3).half(), torch.ones(3, 2)), RuntimeError, "float32 only, not Half"),
    (lambda m: m.matmul(torch.ones(3), torch.ones(3, 2)), IndexError, ""),
]
