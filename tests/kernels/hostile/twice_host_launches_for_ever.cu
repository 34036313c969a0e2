// A milliard launches.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    for (int j = 0; j < 1000000000; j++) k<<<(n + 255) / 256 + 1, 256>>>(n, x, y);
}
