// __syncthreads_count() is a barrier, too.
// run: count<<<1, 64>>>(x)
// arrays: x = int[64]
// expect: divergence, __syncthreads_count()
__global__ void count(int *x) {
#ifndef MENDED
    if (threadIdx.x < 5) return;
#endif
    int zeros = __syncthreads_count(x[threadIdx.x] == 0);  // <- fault
    x[threadIdx.x] = zeros;
}
