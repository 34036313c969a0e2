// Neighbouring bytes of one word are different places; the same byte is not.
// run: mark<<<1, 64>>>(x)
// arrays: x = int[64] counting
// expect: shared_race, flags[0]
__global__ void mark(int *x) {
    __shared__ unsigned char flags[64];
#ifdef MENDED
    flags[threadIdx.x] = (unsigned char)x[threadIdx.x];
#else
    flags[threadIdx.x % 32 ? threadIdx.x : 0] = (unsigned char)x[threadIdx.x];  // <- fault
#endif
    __syncthreads();
    if (threadIdx.x == 0) x[0] = flags[0];
}
