// Several threads raise the same flag: harmless, and said so.
// run: raise<<<1, 64>>>(x)
// arrays: x = int[64]
// expect: shared_race, both write the same value
__global__ void raise(int *x) {
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    if (x[threadIdx.x] == 0)
#ifdef MENDED
        if (threadIdx.x == 5)
#endif
            found = 1;  // <- fault
    __syncthreads();
    x[threadIdx.x] = found;
}
