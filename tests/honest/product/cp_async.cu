// Tiles by cp.async, element by element, so that edges are guarded.
#include <cuda_pipeline.h>
__global__ void k(int n, int m, int kk, const float *A, const float *B, float *C) {
    __shared__ float a[2][8][9], b[2][8][9];
    int x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * 8 + x, i = blockIdx.y * 8 + y;
    auto fetch = [&](int to, int l) {
        if (i < n && l + x < kk) __pipeline_memcpy_async(&a[to][y][x], &A[i * kk + l + x], 4);
        else a[to][y][x] = 0;
        if (l + y < kk && j < m) __pipeline_memcpy_async(&b[to][y][x], &B[(l + y) * m + j], 4);
        else b[to][y][x] = 0;
        __pipeline_commit();
    };
    float s = 0;
    fetch(0, 0);
    for (int l = 0, now = 0; l < kk; l += 8, now ^= 1) {
        fetch(now ^ 1, l + 8);
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int t = 0; t < 8; t++) s += a[now][y][t] * b[now][t][x];
        __syncthreads();
    }
    __pipeline_wait_prior(0);
    if (i < n && j < m) C[i * m + j] = s;
}

void product(int n, int m, int depth, const float *A, const float *B, float *C) {
    if (n > 0 && m > 0) k<<<dim3((m + 7) / 8, (n + 7) / 8), dim3(8, 8)>>>(n, m, depth, A, B, C);
}
