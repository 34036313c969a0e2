// Neighbouring threads read neighbouring addresses and write addresses a column apart.
__global__ void transpose_kernel(int n, int m, const float *a, float *b) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < m)
        b[j * n + i] = a[i * m + j];
}

void transpose(int n, int m, const float *a, float *b) {
    dim3 block(32, 8);
    dim3 grid((m + 31) / 32, (n + 7) / 8);
    if (n > 0 && m > 0) transpose_kernel<<<grid, block>>>(n, m, a, b);
}
