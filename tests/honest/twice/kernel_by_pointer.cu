// The kernel is chosen by a pointer.
__global__ void narrow(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
__global__ void wide(int n, const float *x, float *y) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) y[i] = 2 * x[i];
    if (i + 1 < n) y[i + 1] = 2 * x[i + 1];
}

void twice(int n, const float *x, float *y) {
    if (n <= 0) return;
    auto kernel = n > 500 ? wide : narrow;
    kernel<<<(n + 127) / 128, 128>>>(n, x, y);
}
