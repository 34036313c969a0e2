// row: 8
// function: softmax
// expect: mismatch: expected
// device: mismatch
// twin: softmax/block_a_row
// Exponentials in bfloat16.
#include <cuda_bf16.h>
__global__ void k(int n, int m, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float top = x[i * m], sum = 0;
    for (int j = 1; j < m; j++) top = fmaxf(top, x[i * m + j]);
    for (int j = 0; j < m; j++) {
        float e = __bfloat162float(__float2bfloat16(expf(x[i * m + j] - top)));
        y[i * m + j] = e;
        sum += e;
    }
    for (int j = 0; j < m; j++) y[i * m + j] /= sum;
}

void softmax(int n, int m, const float *x, float *y) {
    if (n > 0 && m > 0) k<<<(n + 31) / 32, 32>>>(n, m, x, y);
}
