// A kernel whose name CUDA has for something else.
__global__ void any(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) any<<<(n + 255) / 256, 256>>>(n, x, y);
}
