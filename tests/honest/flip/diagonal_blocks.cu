// Blocks in diagonal order, an xor-swizzled tile in place of padding.
__global__ void k(int n, int m, const float *a, float *b) {
    __shared__ float tile[16][16];
    int bx = (blockIdx.x + blockIdx.y) % gridDim.x, by = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
    int j = bx * 16 + x, i = by * 16 + y;
    if (i < n && j < m) tile[y][x ^ y] = a[i * m + j];
    __syncthreads();
    int row = bx * 16 + y, col = by * 16 + x;
    if (row < m && col < n) b[row * n + col] = tile[x][y ^ x];
}

void flip(int n, int m, const float *a, float *b) {
    if (n > 0 && m > 0) k<<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(n, m, a, b);
}
