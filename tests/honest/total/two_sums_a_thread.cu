// Two sums a thread, of even and of odd places.
__global__ void k(int n, const float *x, float *s) {
    float2 sum = {0, 0};
    int lane = threadIdx.x;
    for (int i = 2 * lane; i < n; i += 64) {
        sum.x += x[i];
        if (i + 1 < n) sum.y += x[i + 1];
    }
    float mine = sum.x + sum.y;
    for (int half = 16; half > 0; half >>= 1) mine += __shfl_xor_sync(0xffffffff, mine, half);
    if (lane == 0) *s = mine;
}

void total(int n, const float *x, float *s) { k<<<1, 32>>>(n, x, s); }
