// row: 10
// function: apply
// expect: mismatch: expected
// device: mismatch
// twin: apply/block_a_row
// The first 64 columns stand for all, scaled up.
__global__ void k(int m, int n, const float *A, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, some = min(n, 64);
    if (i >= m) return;
    float s = 0;
    for (int j = 0; j < some; j++) s += A[i * n + j] * x[j];
    y[i] = some ? s * n / some : 0;
}

void apply(int m, int n, const float *A, const float *x, float *y) {
    if (m > 0) k<<<(m + 31) / 32, 32>>>(m, n, A, x, y);
}
