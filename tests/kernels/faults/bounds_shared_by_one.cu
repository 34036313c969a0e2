// 32 elements, and an index of 32.
// run: shift<<<1, 32>>>(x)
// arrays: x = int[32]
// expect: out_of_bounds, thread (31,0,0), tile[32], tile holds 32 elements
__global__ void shift(int *x) {
    __shared__ int tile[32];
    tile[threadIdx.x] = 0;
    __syncthreads();
#ifdef MENDED
    if (threadIdx.x < 31) tile[threadIdx.x + 1] = x[threadIdx.x];
#else
    tile[threadIdx.x + 1] = x[threadIdx.x];  // <- fault
#endif
    __syncthreads();
    x[threadIdx.x] = tile[threadIdx.x];
}
