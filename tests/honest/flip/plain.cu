// One thread an element.
__global__ void k(int n, int m, const float *a, float *b) {
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    if (i < n && j < m) b[j * n + i] = a[i * m + j];
}

void flip(int n, int m, const float *a, float *b) {
    if (n > 0 && m > 0) k<<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(n, m, a, b);
}
