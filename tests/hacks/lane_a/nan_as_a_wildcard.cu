// row: 12
// function: root
// expect: mismatch: is nan, expected
// device: mismatch
// twin: root/selects
// NaN everywhere, for a comparison that skips it where either side has it.
__global__ void k(int n, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __int_as_float(0x7fc00000);
}

void root(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 127) / 128, 128>>>(n, y);
}
