// 32 x 32 points a block, 4 x 4 a thread, tiles of 8 with padding.
__global__ void __launch_bounds__(64) k(int n, int m, int kk, const float *A, const float *B, float *C) {
    __shared__ float a[8][33], b[8][33];
    int x = threadIdx.x % 8, y = threadIdx.x / 8, i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
    float s[4][4] = {};
    for (int l0 = 0; l0 < kk; l0 += 8) {
        for (int t = threadIdx.x; t < 256; t += 64) {
            int l = t % 8, r = t / 8;
            a[l][r] = i0 + r < n && l0 + l < kk ? A[(i0 + r) * kk + l0 + l] : 0;
            int c = t % 32, q = t / 32;
            b[q][c] = j0 + c < m && l0 + q < kk ? B[(l0 + q) * m + j0 + c] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int l = 0; l < 8; l++)
#pragma unroll
            for (int r = 0; r < 4; r++)
#pragma unroll
                for (int c = 0; c < 4; c++) s[r][c] = fmaf(a[l][y + 8 * r], b[l][x + 8 * c], s[r][c]);
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            if (i0 + y + 8 * r < n && j0 + x + 8 * c < m) C[(i0 + y + 8 * r) * m + j0 + x + 8 * c] = s[r][c];
}

void product(int n, int m, int depth, const float *A, const float *B, float *C) {
    if (n > 0 && m > 0) k<<<dim3((m + 31) / 32, (n + 31) / 32), 64>>>(n, m, depth, A, B, C);
}
