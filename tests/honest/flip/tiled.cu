// Through a padded tile.
__global__ void k(int n, int m, const float *a, float *b) {
    __shared__ float tile[16][17];
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    if (i < n && j < m) tile[threadIdx.y][threadIdx.x] = a[i * m + j];
    __syncthreads();
    int r = blockIdx.x * 16 + threadIdx.y, c = blockIdx.y * 16 + threadIdx.x;
    if (r < m && c < n) b[r * n + c] = tile[threadIdx.x][threadIdx.y];
}

void flip(int n, int m, const float *a, float *b) {
    if (n > 0 && m > 0) k<<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(n, m, a, b);
}
