// A thread a point.
__global__ void k(int n, int m, float c, const float *u, float *v) {
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;
    if (i >= n || j >= m) return;
    float w = u[i * m + j];
    if (i > 0 && i < n - 1 && j > 0 && j < m - 1)
        w += c * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1] - 4 * w);
    v[i * m + j] = w;
}

void heat(int n, int m, float c, const float *u, float *v) {
    if (n > 0 && m > 0) k<<<dim3((m + 15) / 16, (n + 7) / 8), dim3(16, 8)>>>(n, m, c, u, v);
}
