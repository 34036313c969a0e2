// A kernel of its own for squares and one for the rest: both are right.
__global__ void square(int n, const float *a, float *b) {
    int j = blockIdx.x * 8 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;
    if (i < n && j < n) b[j * n + i] = a[i * n + j];
}
__global__ void general(int n, int m, const float *a, float *b) {
    for (int i = blockIdx.x; i < n; i += gridDim.x)
        for (int j = threadIdx.x; j < m; j += blockDim.x) b[j * n + i] = a[i * m + j];
}

void flip(int n, int m, const float *a, float *b) {
    if (n <= 0 || m <= 0) return;
    if (n == m) square<<<dim3((n + 7) / 8, (n + 7) / 8), dim3(8, 8)>>>(n, a, b);
    else general<<<n, 64>>>(n, m, a, b);
}
