// Threads take different numbers of turns, each with a barrier.
// run: turns<<<1, 64>>>(x)
// arrays: x = float[64]
// expect: divergence, before this barrier
__global__ void turns(float *x) {
    float value = x[threadIdx.x];
#ifdef MENDED
    for (int i = 0; i < 4; i++) {
        if (i <= threadIdx.x / 32) value += 1.0f;
        __syncthreads();
    }
#else
    for (int i = 0; i <= threadIdx.x / 32; i++) {
        value += 1.0f;
        __syncthreads();  // <- fault
    }
#endif
    x[threadIdx.x] = value;
}
