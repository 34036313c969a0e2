// Recursion without end on the device.
__device__ __noinline__ float down(float v) { return v == 12345.0f ? v : down(v) + 1; }
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = down(2 * x[i]);
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
