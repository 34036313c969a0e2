// One warp, by shuffles.
__global__ void k(int n, const float *x, float *s) {
    float mine = 0;
    for (int i = threadIdx.x; i < n; i += 32) mine += x[i];
    for (int half = 16; half > 0; half /= 2) mine += __shfl_down_sync(0xffffffff, mine, half);
    if (threadIdx.x == 0) *s = mine;
}

void total(int n, const float *x, float *s) {
    cudaMemset(s, 0, sizeof(float));
    if (n > 0) k<<<1, 32>>>(n, x, s);
}
