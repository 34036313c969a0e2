// A warp a row; the exponentials wait in y.
__global__ void k(int n, int m, const float *x, float *y) {
    int i = blockIdx.x, lane = threadIdx.x;
    float top = -INFINITY, sum = 0;
    for (int j = lane; j < m; j += 32) top = fmaxf(top, x[i * m + j]);
    for (int half = 16; half > 0; half /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, half));
    for (int j = lane; j < m; j += 32) sum += y[i * m + j] = expf(x[i * m + j] - top);
    for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(~0u, sum, half);
    for (int j = lane; j < m; j += 32) y[i * m + j] /= sum;
}

void softmax(int n, int m, const float *x, float *y) {
    if (n > 0 && m > 0) k<<<n, 32>>>(n, m, x, y);
}
