// In double inside, rounded once at the end.
__global__ void k(int n, double a, double b, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = (float)(a * x[i] + b * y[i]);
}

void axpby(int n, float a, float b, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, a, b, x, y);
}
