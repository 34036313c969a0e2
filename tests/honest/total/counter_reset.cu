// The last block to come, by a counter in a workspace that the host clears before each call.
__global__ void k(int n, const float *x, volatile float *part, unsigned *come, float *s) {
    float mine = 0;
    for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32) mine += x[i];
    for (int half = 16; half > 0; half /= 2) mine += __shfl_down_sync(~0u, mine, half);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = mine;
        __threadfence();
        if (atomicAdd(come, 1u) == gridDim.x - 1) {
            __threadfence();
            float sum = 0;
            for (int b = 0; b < gridDim.x; b++) sum += part[b];
            *s = sum;
        }
    }
}

void total(int n, const float *x, float *s) {
    float *part;
    unsigned *come;
    cudaMalloc(&part, 5 * sizeof(float));
    cudaMalloc(&come, sizeof(unsigned));
    cudaMemset(come, 0, sizeof(unsigned));
    k<<<5, 32>>>(n, x, part, come, s);
    cudaFree(come);
    cudaFree(part);
}
