// Four elements a thread, a block apart, unrolled; nothing of the last block is read past the end.
__global__ void __launch_bounds__(128) k(unsigned n, const float *__restrict__ x, float *__restrict__ y) {
    unsigned first = blockIdx.x * 512u + threadIdx.x;
    float v[4];
#pragma unroll
    for (int e = 0; e < 4; e++) v[e] = first + e * 128u < n ? x[first + e * 128u] : 0.0f;
#pragma unroll
    for (int e = 0; e < 4; e++)
        if (first + e * 128u < n) y[first + e * 128u] = 2 * v[e];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 511) / 512, 128>>>(n, x, y);
}
