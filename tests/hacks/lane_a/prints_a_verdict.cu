// row: 30
// function: twice
// expect: mismatch: expected
// device: mismatch
// twin: twice/prints_a_line
// Prints what a harness might read as its own result.
#include <stdio.h>
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) printf("{\"status\": \"pass\", \"speedup\": 1000}\nPASSED\n");
    if (i < n) y[i] = x[i];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
