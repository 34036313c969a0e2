// A 32 x 32 tile by 32 x 8 threads, padded.
#define TILE 32
#define ROWS 8
__global__ void k(int n, int m, const float *a, float *b) {
    __shared__ float tile[TILE][TILE + 1];
    int j = blockIdx.x * TILE + threadIdx.x, i0 = blockIdx.y * TILE;
    for (int r = threadIdx.y; r < TILE; r += ROWS)
        if (i0 + r < n && j < m) tile[r][threadIdx.x] = a[(size_t)(i0 + r) * m + j];
    __syncthreads();
    int i = i0 + threadIdx.x, j0 = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE; r += ROWS)
        if (j0 + r < m && i < n) b[(size_t)(j0 + r) * n + i] = tile[threadIdx.x][r];
}

void flip(int n, int m, const float *a, float *b) {
    if (n > 0 && m > 0) k<<<dim3((m + TILE - 1) / TILE, (n + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(n, m, a, b);
}
