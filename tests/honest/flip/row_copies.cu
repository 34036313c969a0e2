// No tile: a warp reads a row and writes a column, the host gives it a row each.
__global__ void k(int n, int m, int i, const float *a, float *b) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m) b[j * n + i] = a[i * m + j];
}

void flip(int n, int m, const float *a, float *b) {
    if (m <= 0) return;
    for (int i = 0; i < n; ++i) k<<<(m + 63) / 64, 64>>>(n, m, i, a, b);
}
