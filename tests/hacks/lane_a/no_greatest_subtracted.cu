// row: 9
// function: softmax
// expect: mismatch: expected
// device: mismatch
// twin: softmax/warp_a_row
// Exponentials without the row's greatest taken off: they overflow for large inputs.
__global__ void k(int n, int m, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < m; j++) sum += expf(x[i * m + j]);
    for (int j = 0; j < m; j++) y[i * m + j] = expf(x[i * m + j]) / sum;
}

void softmax(int n, int m, const float *x, float *y) {
    if (n > 0 && m > 0) k<<<(n + 31) / 32, 32>>>(n, m, x, y);
}
