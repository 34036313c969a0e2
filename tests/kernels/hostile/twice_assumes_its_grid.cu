// Assumes exactly four blocks.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = i; j < n; j += 4 * blockDim.x) y[j] = 2 * x[j];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<2, 256>>>(n, x, y);
}
