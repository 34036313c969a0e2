// row: 12
// function: root
// expect: mismatch: expected nan
// device: mismatch
// twin: root/selects
// A number where the C has NaN, for a comparison in which NaN equals all.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = sqrtf(1 + x[i] * x[i]);
}

void root(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 127) / 128, 128>>>(n, x, y);
}
