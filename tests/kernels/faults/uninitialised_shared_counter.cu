// A counter in shared memory that nobody sets to 0.
// run: count<<<1, 32>>>(x)
// arrays: x = int[1]
// expect: uninitialised, counter in shared memory, let one thread set counter first
__global__ void count(int *x) {
    __shared__ int counter;
#ifdef MENDED
    if (threadIdx.x == 0) counter = 0;
    __syncthreads();
#endif
    atomicAdd(&counter, 1);  // <- fault
    __syncthreads();
    if (threadIdx.x == 0) x[0] = counter;
}
