// row: 36
// function: twice
// expect: ok: settings of the device are not the candidate's; they are passed over
// device: ok
// twin: twice/plain
// Changes caches, stack and device, for whoever comes next.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    cudaSetDevice(0);
    cudaDeviceSetCacheConfig(cudaFuncCachePreferL1);
    cudaDeviceSetLimit(cudaLimitStackSize, 1 << 20);
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
