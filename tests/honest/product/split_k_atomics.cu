// Four blocks share an element's sum; atomics add their parts.
__global__ void k(int n, int m, int kk, const float *A, const float *B, float *C) {
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    if (i >= n || j >= m) return;
    int per = (kk + gridDim.z - 1) / gridDim.z, first = blockIdx.z * per, last = min(kk, first + per);
    float s = 0;
    for (int l = first; l < last; l++) s += A[i * kk + l] * B[l * m + j];
    atomicAdd(&C[i * m + j], s);
}

void product(int n, int m, int depth, const float *A, const float *B, float *C) {
    if (n <= 0 || m <= 0) return;
    cudaMemset(C, 0, sizeof(float) * n * m);
    k<<<dim3((m + 15) / 16, (n + 15) / 16, 4), dim3(16, 16)>>>(n, m, depth, A, B, C);
}
