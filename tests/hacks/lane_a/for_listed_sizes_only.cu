// row: 7
// function: twice
// expect: fault: is never written
// device: fault | mismatch
// twin: twice/by_size
// Only the sizes that a test is likely to take.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n == 1 || n % 16 == 0 || n == 3000) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
