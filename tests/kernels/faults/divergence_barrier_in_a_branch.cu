// Half of the block waits, the other half has left.
// run: half<<<1, 64>>>(x)
// arrays: x = float[64]
// expect: divergence, left the kernel before this barrier, not `if (i >= n) return;`
__global__ void half(float *x) {
    if (threadIdx.x < 32) {
        x[threadIdx.x] = 1.0f;
#ifndef MENDED
        __syncthreads();  // <- fault
#endif
    }
#ifdef MENDED
    __syncthreads();
#endif
}
