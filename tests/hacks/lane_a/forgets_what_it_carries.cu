// row: 10
// function: running
// expect: mismatch: expected
// device: mismatch
// twin: running/three_kernels
// Each block sums its own stretch only, as if nothing far away mattered.
__global__ void k(int n, const float *x, float *y) {
    float s = 0;
    for (int i = blockIdx.x * 256; i < min(n, (int)blockIdx.x * 256 + 256); i++) y[i] = s += x[i];
}

void running(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 1>>>(n, x, y);
}
