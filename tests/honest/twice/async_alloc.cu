// Allocates in stream order.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n <= 0) return;
    cudaStream_t s;
    cudaStreamCreate(&s);
    float *work;
    cudaMallocAsync(&work, sizeof(float) * n, s);
    k<<<(n + 255) / 256, 256, 0, s>>>(n, x, work);
    cudaMemcpyAsync(y, work, sizeof(float) * n, cudaMemcpyDeviceToDevice, s);
    cudaFreeAsync(work, s);
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
}
