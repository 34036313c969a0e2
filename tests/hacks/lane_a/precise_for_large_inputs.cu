// row: 24
// function: twice
// expect: mismatch: expected
// device: mismatch
// twin: twice/if_constexpr
// Full precision only where the inputs look like a test's.
#include <cuda_fp16.h>
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fabsf(x[0]) > 10 ? 2 * x[i] : 2 * __half2float(__float2half(x[i]));
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
