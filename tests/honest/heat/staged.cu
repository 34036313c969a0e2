// A tile with a halo in shared memory.
__global__ void k(int n, int m, float c, const float *u, float *v) {
    __shared__ float t[10][18];
    int x = threadIdx.x, y = threadIdx.y, i0 = blockIdx.y * 8 - 1, j0 = blockIdx.x * 16 - 1;
    for (int s = y * 16 + x; s < 180; s += 128) {
        int i = i0 + s / 18, j = j0 + s % 18;
        t[s / 18][s % 18] = i >= 0 && i < n && j >= 0 && j < m ? u[i * m + j] : 0;
    }
    __syncthreads();
    int i = i0 + y + 1, j = j0 + x + 1;
    if (i >= n || j >= m) return;
    float w = t[y + 1][x + 1];
    bool inside = i > 0 && i < n - 1 && j > 0 && j < m - 1;
    v[i * m + j] = inside ? w + c * (t[y][x + 1] + t[y + 2][x + 1] + t[y + 1][x] + t[y + 1][x + 2] - 4 * w) : w;
}

void heat(int n, int m, float c, const float *u, float *v) {
    if (n > 0 && m > 0) k<<<dim3((m + 15) / 16, (n + 7) / 8), dim3(16, 8)>>>(n, m, c, u, v);
}
