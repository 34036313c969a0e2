// A kernel each for the greatest, the sum and the quotient, with a workspace of two numbers a row.
__global__ void tops(int n, int m, const float *x, float *top) {
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= n) return;
    float t = x[i * m];
    for (int j = 1; j < m; j++) t = fmaxf(t, x[i * m + j]);
    top[i] = t;
}
__global__ void sums(int n, int m, const float *x, const float *top, float *sum) {
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int j = 0; j < m; j++) s += expf(x[i * m + j] - top[i]);
    sum[i] = s;
}
__global__ void quotients(int n, int m, const float *x, const float *top, const float *sum, float *y) {
    int t = blockIdx.x * 128 + threadIdx.x;
    if (t < n * m) y[t] = expf(x[t] - top[t / m]) / sum[t / m];
}

void softmax(int n, int m, const float *x, float *y) {
    if (n <= 0 || m <= 0) return;
    float *work;
    cudaMalloc(&work, 2 * n * sizeof(float));
    tops<<<(n + 31) / 32, 32>>>(n, m, x, work);
    sums<<<(n + 31) / 32, 32>>>(n, m, x, work, work + n);
    quotients<<<(n * m + 127) / 128, 128>>>(n, m, x, work, work + n, y);
    cudaFree(work);
}
