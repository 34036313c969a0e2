// row: 11
// function: softmax
// expect: mismatch: expected
// device: mismatch
// twin: softmax/three_kernels
// Sums run down the columns.
__global__ void k(int n, int m, const float *x, float *y) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;
    float top = x[j], sum = 0;
    for (int i = 1; i < n; i++) top = fmaxf(top, x[i * m + j]);
    for (int i = 0; i < n; i++) sum += expf(x[i * m + j] - top);
    for (int i = 0; i < n; i++) y[i * m + j] = expf(x[i * m + j] - top) / sum;
}

void softmax(int n, int m, const float *x, float *y) {
    if (n > 0 && m > 0) k<<<(m + 31) / 32, 32>>>(n, m, x, y);
}
