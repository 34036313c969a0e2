// A constant that takes for ever to compute.
constexpr long spin(long n) {
    long s = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) s += i ^ j;
    return s;
}
constexpr long never = spin(1000000);
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i] + 0 * never;
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
