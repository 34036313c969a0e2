// Through a workspace that it frees afterwards.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n <= 0) return;
    float *work;
    cudaMalloc(&work, n * sizeof(float));
    k<<<(n + 255) / 256, 256>>>(n, x, work);
    cudaMemcpy(y, work, n * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFree(work);
}
