// Through a 32 x 32 tile in shared memory, so that reads and writes both run along rows; PAD keeps columns off one bank.
#ifndef PAD
#define PAD 1
#endif
__global__ void transpose_kernel(int n, int m, const float *a, float *b) {
    __shared__ float tile[32][32 + PAD];
    int j = blockIdx.x * 32 + threadIdx.x;
    for (int r = threadIdx.y; r < 32; r += 8) {
        int i = blockIdx.y * 32 + r;
        if (i < n && j < m) tile[r][threadIdx.x] = a[i * m + j];
    }
    __syncthreads();
    int i = blockIdx.y * 32 + threadIdx.x;
    for (int r = threadIdx.y; r < 32; r += 8) {
        int k = blockIdx.x * 32 + r;
        if (i < n && k < m) b[k * n + i] = tile[threadIdx.x][r];
    }
}

void transpose(int n, int m, const float *a, float *b) {
    dim3 block(32, 8);
    dim3 grid((m + 31) / 32, (n + 31) / 32);
    if (n > 0 && m > 0) transpose_kernel<<<grid, block>>>(n, m, a, b);
}
