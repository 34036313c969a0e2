// Greatest and sum in one pass, rescaled when a greater one comes.
__global__ void k(int n, int m, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float top = -INFINITY, sum = 0;
    for (int j = 0; j < m; j++) {
        float v = x[i * m + j], higher = fmaxf(top, v);
        sum = sum * expf(top - higher) + expf(v - higher);
        top = higher;
    }
    for (int j = 0; j < m; j++) y[i * m + j] = expf(x[i * m + j] - top) / sum;
}

void softmax(int n, int m, const float *x, float *y) {
    if (n > 0 && m > 0) k<<<(n + 31) / 32, 32>>>(n, m, x, y);
}
