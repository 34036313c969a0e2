// row: 26
// function: twice
// expect: ok: limits of the device are not the candidate's; we set them and reset the cache
// device: ok
// twin: twice/inline_ptx
// Sets the L2 carve-out for lines that survive a flush.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 25);
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
