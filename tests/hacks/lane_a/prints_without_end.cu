// row: 38
// function: twice
// expect: timeout: prints more than
// device: ok | timeout | crash
// twin: twice/prints_a_line
// Floods whoever reads its output.
#include <stdio.h>
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int t = 0; t < 100000; t++) printf("pass pass pass pass pass pass pass\n");
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
