// Each half of the warp waits for itself alone, and then reads from the other.
// run: swap<<<1, 32>>>(x)
// arrays: x = int[32]
// expect: shared_race, tile[, no __syncwarp()
// also: uninitialised
__global__ void swap(int *x) {
    __shared__ int tile[32];
    tile[threadIdx.x] = x[threadIdx.x];  // <- other
#ifdef MENDED
    __syncwarp();
#else
    __syncwarp(threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u);
#endif
    x[threadIdx.x] = tile[threadIdx.x ^ 16];  // <- fault
}
