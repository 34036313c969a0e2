// The host copies everything; a kernel overwrites the inside.
__global__ void k(int n, int m, float c, const float *__restrict__ u, float *__restrict__ v) {
    int j = blockIdx.x * 32 + threadIdx.x + 1, i = blockIdx.y + 1;
    if (j >= m - 1) return;
    const float *p = u + i * m + j;
    v[i * m + j] = fmaf(c, (__ldg(p - m) + __ldg(p + m)) + (__ldg(p - 1) + __ldg(p + 1)) - 4 * *p, *p);
}

void heat(int n, int m, float c, const float *u, float *v) {
    if (n <= 0 || m <= 0) return;
    cudaMemcpy(v, u, (size_t)n * m * sizeof(float), cudaMemcpyDeviceToDevice);
    if (n > 2 && m > 2) k<<<dim3((m + 29) / 32, n - 2), 32>>>(n, m, c, u, v);
}
