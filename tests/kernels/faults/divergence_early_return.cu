// Threads past the end return before the barrier.
// run: scale<<<1, 64>>>(x, 40)
// arrays: x = float[64]
// expect: divergence, 24 threads of block, thread (40, 0, 0) among them
__global__ void scale(float *x, int n) {
    __shared__ float tile[64];
#ifndef MENDED
    if (threadIdx.x >= n) return;
#endif
    if (threadIdx.x < n) tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();  // <- fault
    if (threadIdx.x < n) x[threadIdx.x] = tile[n - 1 - threadIdx.x];
}
