// One thread an element.
__global__ void k(int n, int m, int kk, const float *A, const float *B, float *C) {
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    if (i >= n || j >= m) return;
    float s = 0;
    for (int l = 0; l < kk; l++) s += A[i * kk + l] * B[l * m + j];
    C[i * m + j] = s;
}

void product(int n, int m, int depth, const float *A, const float *B, float *C) {
    if (n > 0 && m > 0) k<<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(n, m, depth, A, B, C);
}
