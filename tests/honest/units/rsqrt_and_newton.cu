// The fast reciprocal root, mended by one step of Newton's.
__global__ void k(int n, int d, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float q = 0;
    for (int j = 0; j < d; j++) q += x[i * d + j] * x[i * d + j];
    float r = rsqrtf(q);
    r = r * (1.5f - 0.5f * q * r * r);
    for (int j = 0; j < d; j++) y[i * d + j] = x[i * d + j] * r;
}

void units(int n, int d, const float *x, float *y) {
    if (n > 0) k<<<(n + 31) / 32, 32>>>(n, d, x, y);
}
