// A mask of all lanes, and half of them elsewhere.
// run: sum<<<1, 32>>>(x)
// arrays: x = float[32]
// expect: divergence, waits in __shfl_down_sync() for lane, out of the branch
__global__ void sum(float *x) {
    float value = x[threadIdx.x];
#ifdef MENDED
    float other = __shfl_down_sync(0xffffffffu, value, 8);
    if (threadIdx.x < 16) value += other;
#else
    if (threadIdx.x < 16) {
        value += __shfl_down_sync(0xffffffffu, value, 8);  // <- fault
    } else {
        value += 1.0f;
        __syncthreads();
        value *= 2.0f;
    }
#endif
    x[threadIdx.x] = value;
}
