// Macros for the index and for the launch.
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS 192
#define BLOCKS(n) (((n) + THREADS - 1) / THREADS)
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) return; } while (0)
__global__ void k(int n, const float *x, float *y) {
    if (INDEX < n) y[INDEX] = x[INDEX] + x[INDEX];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<BLOCKS(n), THREADS>>>(n, x, y);
    CHECK(cudaGetLastError());
}
