// One warp; of equals the first.
__global__ void k(int n, const float *x, int *at) {
    float best = -INFINITY;
    int where = n;
    for (int i = threadIdx.x; i < n; i += 32)
        if (x[i] > best || where == n) {
            best = x[i];
            where = i;
        }
    for (int half = 16; half > 0; half /= 2) {
        float other = __shfl_down_sync(~0u, best, half);
        int there = __shfl_down_sync(~0u, where, half);
        if (there < n && (where == n || other > best || (other == best && there < where))) {
            best = other;
            where = there;
        }
    }
    if (threadIdx.x == 0) *at = where < n ? where : 0;
}

void greatest(int n, const float *x, int *at) { k<<<1, 32>>>(n, x, at); }
