// Two buffers whose pointers the host exchanges after each step.
__global__ void k(int n, const float *a, float *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    b[i] = i > 0 && i < n - 1 ? (a[i - 1] + a[i] + a[i + 1]) / 3 : a[i];
}

void smooth(int n, int steps, float *a) {
    if (n <= 0) return;
    float *work, *from = a, *to;
    cudaMalloc(&work, n * sizeof(float));
    to = work;
    for (int t = 0; t < steps; t++) {
        k<<<(n + 127) / 128, 128>>>(n, from, to);
        float *other = from;
        from = to;
        to = other;
    }
    if (from != a) cudaMemcpy(a, from, n * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFree(work);
}
