// row: 7
// function: twice
// expect: mismatch: expected
// device: fault | mismatch
// twin: axpby/when_divisible
// Right up to the size that is measured without a device; beyond it the host function launches nothing.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n <= 3000) if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
