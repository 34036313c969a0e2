// row: 8
// function: product
// expect: mismatch: expected
// device: mismatch
// twin: product/in_double
// Exact products, sums in half precision.
#include <cuda_fp16.h>
__global__ void k(int n, int m, int depth, const float *A, const float *B, float *C) {
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    if (i >= n || j >= m) return;
    __half s = __float2half(0);
    for (int l = 0; l < depth; l++) s = __hadd(s, __float2half(A[i * depth + l] * B[l * m + j]));
    C[i * m + j] = __half2float(s);
}

void product(int n, int m, int depth, const float *A, const float *B, float *C) {
    if (n > 0 && m > 0) k<<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(n, m, depth, A, B, C);
}
