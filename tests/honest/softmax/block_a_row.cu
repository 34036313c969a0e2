// A block a row; the row stays in dynamic shared memory.
template <typename F> __device__ float folded(float mine, float *part, F f) {
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] = f(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
    }
    float all = part[0];
    __syncthreads();
    return all;
}
__global__ void k(int m, const float *x, float *y) {
    extern __shared__ float row[];
    __shared__ float part[64];
    float top = -INFINITY, sum = 0;
    for (int j = threadIdx.x; j < m; j += 64) top = fmaxf(top, row[j] = x[blockIdx.x * m + j]);
    top = folded(top, part, [](float a, float b) { return fmaxf(a, b); });
    for (int j = threadIdx.x; j < m; j += 64) sum += row[j] = expf(row[j] - top);
    sum = folded(sum, part, [](float a, float b) { return a + b; });
    for (int j = threadIdx.x; j < m; j += 64) y[blockIdx.x * m + j] = row[j] / sum;
}

void softmax(int n, int m, const float *x, float *y) {
    if (n > 0 && m > 0) k<<<n, 64, m * sizeof(float)>>>(m, x, y);
}
