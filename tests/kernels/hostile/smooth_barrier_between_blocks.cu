// Steps inside a kernel of several blocks, with a barrier that holds only within each.
__global__ void k(int n, int steps, float *a, float *b) {
    for (int t = 0; t < steps; t++) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i > 0 && i < n - 1) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
        else if (i < n) b[i] = a[i];
        __syncthreads();
        if (i < n) a[i] = b[i];
        __syncthreads();
    }
}

void smooth(int n, int steps, float *a) {
    if (n <= 0) return;
    float *work;
    cudaMalloc(&work, n * sizeof(float));
    k<<<(n + 15) / 16, 16>>>(n, steps, a, work);
    cudaFree(work);
}
