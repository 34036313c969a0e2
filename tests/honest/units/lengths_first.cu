// Lengths into a workspace, then a thread an element.
__global__ void lengths(int n, int d, const float *x, float *length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double q = 0;
    for (int j = 0; j < d; j++) q += (double)x[i * d + j] * x[i * d + j];
    length[i] = (float)sqrt(q);
}
__global__ void divided(int n, int d, const float *x, const float *length, float *y) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n * d) y[t] = x[t] / length[t / d];
}

void units(int n, int d, const float *x, float *y) {
    if (n <= 0 || d <= 0) return;
    float *length;
    cudaMalloc(&length, n * sizeof(float));
    lengths<<<(n + 31) / 32, 32>>>(n, d, x, length);
    divided<<<(n * d + 127) / 128, 128>>>(n, d, x, length, y);
    cudaFree(length);
}
