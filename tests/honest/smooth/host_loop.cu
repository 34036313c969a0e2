// A launch for each step, with a copy back.
__global__ void k(int n, const float *a, float *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
    else if (i < n) b[i] = a[i];
}

void smooth(int n, int steps, float *a) {
    if (n <= 0) return;
    float *work;
    cudaMalloc(&work, n * sizeof(float));
    for (int t = 0; t < steps; t++) {
        k<<<(n + 63) / 64, 64>>>(n, a, work);
        cudaMemcpy(a, work, n * sizeof(float), cudaMemcpyDeviceToDevice);
    }
    cudaFree(work);
}
