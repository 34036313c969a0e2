// Fused multiply-add by name: one rounding fewer than the C.
__global__ void k(int n, float a, float b, const float *__restrict__ x, float *__restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaf(a, x[i], b * y[i]);
}

void axpby(int n, float a, float b, const float *x, float *y) {
    if (n > 0) k<<<(n + 127) / 128, 128>>>(n, a, b, x, y);
}
