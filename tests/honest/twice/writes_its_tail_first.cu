// Backwards: the last block takes the first elements.
__global__ void k(int n, const float *x, float *y) {
    int i = (gridDim.x - 1 - blockIdx.x) * blockDim.x + (blockDim.x - 1 - threadIdx.x);
    if (i >= n) return;
    y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 95) / 96, 96>>>(n, x, y);
}
