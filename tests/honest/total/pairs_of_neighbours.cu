// Pairs of neighbours first (x[2i] + x[2i+1]), in a grid of any size, atomics per warp.
__global__ void k(int n, const float *x, float *s) {
    float mine = 0;
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; 2 * p < n; p += blockDim.x * gridDim.x)
        mine += 2 * p + 1 < n ? x[2 * p] + x[2 * p + 1] : x[2 * p];
    for (int half = 16; half > 0; half /= 2) mine += __shfl_down_sync(~0u, mine, half);
    if ((threadIdx.x & 31) == 0) atomicAdd(s, mine);
}

void total(int n, const float *x, float *s) {
    cudaMemsetAsync(s, 0, sizeof(float));
    k<<<3, 96>>>(n, x, s);
}
