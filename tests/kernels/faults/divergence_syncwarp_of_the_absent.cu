// Half of the warp waits for all of it; the other half ends.
// run: half<<<1, 32>>>(x)
// arrays: x = int[32]
// expect: divergence, __syncwarp() for lane
__global__ void half(int *x) {
    if (threadIdx.x < 16) {
        x[threadIdx.x] = 1;
#ifdef MENDED
        __syncwarp(0x0000ffffu);
#else
        __syncwarp();  // <- fault
#endif
        x[threadIdx.x] += 1;
    }
}
