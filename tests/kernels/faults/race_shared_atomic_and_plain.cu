// One thread clears the counter while others already count.
// run: count<<<1, 64>>>(x)
// arrays: x = int[1]
// expect: shared_race, counter, one of the two is atomic, make both accesses atomic
// also: uninitialised
__global__ void count(int *x) {
    __shared__ int counter;
    if (threadIdx.x == 0) counter = 0;  // <- other
#ifdef MENDED
    __syncthreads();
#endif
    atomicAdd(&counter, 1);  // <- fault
    __syncthreads();
    if (threadIdx.x == 0) x[0] = counter;
}
