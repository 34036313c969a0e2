// One warp, through shared memory.
__global__ void k(int n, const float *x, float *s) {
    __shared__ volatile float part[32];
    float mine = 0;
    for (int i = threadIdx.x; i < n; i += 32) mine += x[i];
    part[threadIdx.x] = mine;
    __syncwarp();
    for (int half = 16; half > 0; half /= 2) {
        float other = threadIdx.x < half ? part[threadIdx.x + half] : 0;
        __syncwarp();
        if (threadIdx.x < half) part[threadIdx.x] += other;
        __syncwarp();
    }
    if (threadIdx.x == 0) *s = part[0];
}

void total(int n, const float *x, float *s) {
    cudaMemset(s, 0, sizeof(float));
    if (n > 0) k<<<1, 32>>>(n, x, s);
}
