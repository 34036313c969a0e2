// Partial sums of blocks in a workspace, then one block adds them up.
__global__ void parts(int n, const float *x, float *part) {
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += x[i];
    for (int half = 16; half > 0; half /= 2) mine += __shfl_down_sync(0xffffffff, mine, half);
    if (threadIdx.x == 0) part[blockIdx.x] = mine;
}
__global__ void finish(int count, const float *part, float *s) {
    float mine = 0;
    for (int i = threadIdx.x; i < count; i += 32) mine += part[i];
    for (int half = 16; half > 0; half /= 2) mine += __shfl_down_sync(0xffffffff, mine, half);
    if (threadIdx.x == 0) *s = mine;
}

void total(int n, const float *x, float *s) {
    float *part;
    cudaMalloc(&part, 64 * sizeof(float));
    parts<<<64, 32>>>(n, x, part);
    finish<<<1, 32>>>(64, part, s);
    cudaFree(part);
}
