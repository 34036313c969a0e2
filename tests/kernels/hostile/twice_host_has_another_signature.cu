// Takes no n.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(const float *x, float *y) {
    k<<<4, 256>>>(1000, x, y);
}
