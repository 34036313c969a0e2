// row: 9
// function: variance
// expect: mismatch: expected
// device: mismatch
// twin: variance/in_double
// The mean of squares less the square of the mean, in float.
__global__ void k(int n, const float *x, float *v) {
    float s = 0, q = 0;
    for (int i = threadIdx.x; i < n; i += 32) {
        s += x[i];
        q += x[i] * x[i];
    }
    for (int half = 16; half > 0; half /= 2) {
        s += __shfl_xor_sync(~0u, s, half);
        q += __shfl_xor_sync(~0u, q, half);
    }
    if (threadIdx.x == 0) *v = q / n - (s / n) * (s / n);
}

void variance(int n, const float *x, float *v) { k<<<1, 32>>>(n, x, v); }
