// The last block to come adds up the others' sums, after a fence.
__device__ unsigned int come = 0;
__global__ void k(int n, const float *x, float *part, float *s) {
    float mine = 0;
    for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32) mine += x[i];
    for (int half = 16; half > 0; half /= 2) mine += __shfl_down_sync(0xffffffff, mine, half);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = mine;
        __threadfence();
        if (atomicInc(&come, gridDim.x - 1) == gridDim.x - 1) {
            __threadfence();
            float sum = 0;
            for (int b = 0; b < gridDim.x; b++) sum += part[b];
            *s = sum;
        }
    }
}

void total(int n, const float *x, float *s) {
    float *part;
    cudaMalloc(&part, 8 * sizeof(float));
    k<<<8, 32>>>(n, x, part, s);
    cudaFree(part);
}
