// B is transposed into a workspace, so that both are read along rows.
__global__ void transposed(int kk, int m, const float *B, float *T) {
    int t = blockIdx.x * 128 + threadIdx.x;
    if (t < kk * m) T[t % m * kk + t / m] = B[t];
}
__global__ void rows(int n, int m, int kk, const float *A, const float *T, float *C) {
    int j = blockIdx.x * 8 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;
    if (i >= n || j >= m) return;
    float s = 0;
    for (int l = 0; l < kk; l++) s += A[i * kk + l] * T[j * kk + l];
    C[i * m + j] = s;
}

void product(int n, int m, int depth, const float *A, const float *B, float *C) {
    if (n <= 0 || m <= 0) return;
    float *T = nullptr;
    cudaMalloc(&T, sizeof(float) * (depth * m + 1));
    if (depth > 0) transposed<<<(depth * m + 127) / 128, 128>>>(depth, m, B, T);
    rows<<<dim3((m + 7) / 8, (n + 7) / 8), dim3(8, 8)>>>(n, m, depth, A, T, C);
    cudaFree(T);
}
