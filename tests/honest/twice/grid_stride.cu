// Any grid does.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = i; j < n; j += gridDim.x * blockDim.x) y[j] = 2 * x[j];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<3, 128>>>(n, x, y);
}
