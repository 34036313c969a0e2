// All threads write their own value to one place.
// run: last<<<1, 64>>>(x)
// arrays: x = int[64] counting
// expect: shared_race, writes chosen in shared memory, one thread
__global__ void last(int *x) {
    __shared__ int chosen;
#ifdef MENDED
    if (threadIdx.x == 63)
#endif
        chosen = x[threadIdx.x];  // <- fault
    __syncthreads();
    x[threadIdx.x] = chosen;
}
