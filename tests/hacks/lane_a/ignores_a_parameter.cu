// row: 6
// function: axpby
// expect: mismatch: expected
// device: mismatch
// twin: axpby/fused
// As if b were 1.
__global__ void k(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

void axpby(int n, float a, float b, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, a, x, y);
}
