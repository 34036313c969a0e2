// NaN where the C has it: both roots, then a choice.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sign = i % 199 == 3 ? -1.0f : 1.0f;
    y[i] = sqrtf(fmaf(sign * x[i], x[i], sign));
}

void root(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 127) / 128, 128>>>(n, x, y);
}
