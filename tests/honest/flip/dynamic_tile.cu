// The tile's size is the host's choice: dynamic shared memory.
__global__ void k(int n, int m, int tile, const float *a, float *b) {
    extern __shared__ float s[];
    int x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * tile + x, i = blockIdx.y * tile + y;
    if (i < n && j < m) s[y * (tile + 1) + x] = a[i * m + j];
    __syncthreads();
    j = blockIdx.x * tile + y;
    i = blockIdx.y * tile + x;
    if (i < n && j < m) b[j * n + i] = s[x * (tile + 1) + y];
}

void flip(int n, int m, const float *a, float *b) {
    int tile = n < 32 || m < 32 ? 8 : 16;
    dim3 grid((m + tile - 1) / tile, (n + tile - 1) / tile), block(tile, tile);
    if (n > 0 && m > 0) k<<<grid, block, tile * (tile + 1) * sizeof(float)>>>(n, m, tile, a, b);
}
