// Times a third in place of divided by three: within rounding.
__global__ void k(int n, const float *a, float *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) b[i] = (a[i - 1] + (a[i] + a[i + 1])) * (1.0f / 3.0f);
    else if (i < n) b[i] = a[i];
}

void smooth(int n, int steps, float *a) {
    if (n <= 0) return;
    float *work;
    cudaMalloc(&work, n * sizeof(float));
    for (int t = 0; t < steps; t++) {
        cudaMemcpyAsync(work, a, n * sizeof(float), cudaMemcpyDeviceToDevice);
        k<<<(n + 63) / 64, 64>>>(n, work, a);
    }
    cudaFree(work);
}
