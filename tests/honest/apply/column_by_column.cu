// The host loops over columns; y gathers them in place.
__global__ void k(int m, int n, int j, const float *A, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) y[i] = (j > 0 ? y[i] : 0.0f) + A[i * n + j] * x[j];
}

void apply(int m, int n, const float *A, const float *x, float *y) {
    if (m <= 0) return;
    if (n <= 0) cudaMemset(y, 0, sizeof(float) * m);
    for (int j = 0; j < n; j++) k<<<(m + 63) / 64, 64>>>(m, n, j, A, x, y);
}
