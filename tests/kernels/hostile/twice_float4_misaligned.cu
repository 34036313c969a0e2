// Loads float4 at odd places.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i < n) {
        float4 v = *(const float4 *)(x + 4 * i + (n > 5));
        for (int j = 0; j < 4 && 4 * i + j < n; j++) y[4 * i + j] = 2 * (&v.x)[j];
    }
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
