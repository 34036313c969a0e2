// Shapes of its own for small and large n: honest work.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n <= 0) return;
    if (n < 64) k<<<1, 64>>>(n, x, y);
    else k<<<(n + 255) / 256, 256>>>(n, x, y);
}
