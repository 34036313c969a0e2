// Two buffers in shared memory: the next tile is loaded while this one is used.
__global__ void k(int n, int m, int kk, const float *A, const float *B, float *C) {
    __shared__ float a[2][8][8], b[2][8][8];
    int x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * 8 + x, i = blockIdx.y * 8 + y, now = 0;
    auto load = [&](int to, int l) {
        a[to][y][x] = i < n && l + x < kk ? A[i * kk + l + x] : 0;
        b[to][y][x] = l + y < kk && j < m ? B[(l + y) * m + j] : 0;
    };
    float s = 0;
    load(0, 0);
    __syncthreads();
    for (int l = 0; l < kk; l += 8) {
        if (l + 8 < kk) load(1 - now, l + 8);
        for (int t = 0; t < 8; t++) s += a[now][y][t] * b[now][t][x];
        __syncthreads();
        now = 1 - now;
    }
    if (i < n && j < m) C[i * m + j] = s;
}

void product(int n, int m, int depth, const float *A, const float *B, float *C) {
    if (n > 0 && m > 0) k<<<dim3((m + 7) / 8, (n + 7) / 8), dim3(8, 8)>>>(n, m, depth, A, B, C);
}
