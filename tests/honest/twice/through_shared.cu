// Copied to shared memory by cp.async and on from there.
#include <cuda_pipeline.h>
__global__ void k(int n, const float *x, float *y) {
    __shared__ float tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n) __pipeline_memcpy_async(&tile[threadIdx.x], &x[i], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (i < n) y[i] = 2 * tile[threadIdx.x];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 127) / 128, 128>>>(n, x, y);
}
