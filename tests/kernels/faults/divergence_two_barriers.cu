// Each side of the branch has a barrier of its own.
// run: sides<<<1, 64>>>(x)
// arrays: x = float[64]
// expect: divergence, different barriers, out of the branch
__global__ void sides(float *x) {
    float value = x[threadIdx.x];
#ifdef MENDED
    value += threadIdx.x < 32 ? 1.0f : 2.0f;
    __syncthreads();
#else
    if (threadIdx.x < 32) {
        value += 1.0f;
        __syncthreads();  // <- fault
        value *= 2.0f;
    } else {
        value += 2.0f;
        __syncthreads();  // <- other
        value *= 3.0f;
    }
#endif
    x[threadIdx.x] = value;
}
