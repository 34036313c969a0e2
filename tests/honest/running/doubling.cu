// Distances double, a launch each, two buffers.
__global__ void k(int n, int distance, const float *from, float *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = i >= distance ? from[i] + from[i - distance] : from[i];
}

void running(int n, const float *x, float *y) {
    if (n <= 0) return;
    float *work;
    cudaMalloc(&work, n * sizeof(float));
    cudaMemcpy(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
    for (int distance = 1; distance < n; distance *= 2) {
        k<<<(n + 127) / 128, 128>>>(n, distance, y, work);
        cudaMemcpy(y, work, n * sizeof(float), cudaMemcpyDeviceToDevice);
    }
    cudaFree(work);
}
