// A static array of a megabyte in shared memory.
__shared__ float tile[262144];
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = x[min(i, n - 1)];
    if (i < n) y[i] = 2 * tile[threadIdx.x];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
