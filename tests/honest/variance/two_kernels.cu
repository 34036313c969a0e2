// The mean by one kernel, the squares by another, each in a block.
__device__ float sum_of(float mine) {
    __shared__ float part[128];
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    return part[0];
}
__global__ void mean_of(int n, const float *x, float *mean) {
    float mine = 0;
    for (int i = threadIdx.x; i < n; i += 128) mine += x[i];
    float sum = sum_of(mine);
    if (threadIdx.x == 0) *mean = sum / n;
}
__global__ void spread_of(int n, const float *x, const float *mean, float *v) {
    float mine = 0;
    for (int i = threadIdx.x; i < n; i += 128) mine += (x[i] - *mean) * (x[i] - *mean);
    float sum = sum_of(mine);
    if (threadIdx.x == 0) *v = sum / n;
}

void variance(int n, const float *x, float *v) {
    float *mean;
    cudaMalloc(&mean, sizeof(float));
    mean_of<<<1, 128>>>(n, x, mean);
    spread_of<<<1, 128>>>(n, x, mean, v);
    cudaFree(mean);
}
