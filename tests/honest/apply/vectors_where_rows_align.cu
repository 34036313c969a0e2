// float4 along rows whose length is a multiple of four; else one by one.
__global__ void wide(int m, int n, const float *A, const float *x, float *y) {
    int i = blockIdx.x * blockDim.y + threadIdx.y;
    if (i >= m) return;
    const float4 *row = (const float4 *)(A + (size_t)i * n), *v = (const float4 *)x;
    float s = 0;
    for (int j = threadIdx.x; j < n / 4; j += 32) s += row[j].x * v[j].x + row[j].y * v[j].y + row[j].z * v[j].z + row[j].w * v[j].w;
    for (int half = 16; half > 0; half /= 2) s += __shfl_down_sync(~0u, s, half);
    if (threadIdx.x == 0) y[i] = s;
}
__global__ void narrow(int m, int n, const float *A, const float *x, float *y) {
    int i = blockIdx.x * blockDim.y + threadIdx.y;
    if (i >= m) return;
    float s = 0;
    for (int j = threadIdx.x; j < n; j += 32) s += A[(size_t)i * n + j] * x[j];
    for (int half = 16; half > 0; half /= 2) s += __shfl_down_sync(~0u, s, half);
    if (threadIdx.x == 0) y[i] = s;
}

void apply(int m, int n, const float *A, const float *x, float *y) {
    if (m <= 0) return;
    dim3 block(32, 4);
    unsigned blocks = (m + 3) / 4;
    if (n % 4 == 0) wide<<<blocks, block>>>(m, n, A, x, y);
    else narrow<<<blocks, block>>>(m, n, A, x, y);
}
