// C linkage, for a caller from another language; limits of the device that it asks for.
extern "C" __global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
extern "C" int blocks_for(int n) { return (n + 255) / 256; }

extern "C" void twice(int n, const float *x, float *y) {
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
    if (n > 0) k<<<blocks_for(n), 256>>>(n, x, y);
}
