// The host copies first; the kernel doubles y in place.
__global__ void k(int n, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += y[i];
}

void twice(int n, const float *x, float *y) {
    if (n <= 0) return;
    cudaMemcpyAsync(y, x, sizeof(float) * n, cudaMemcpyDeviceToDevice);
    k<<<(n + 255) / 256, 256>>>(n, y);
}
