// Two of three warps wait for each other; the third reads what they wrote.
// run: pass<<<1, 96>>>(x)
// arrays: x = int[96]
// expect: shared_race, tile[, no barrier stands between
// also: uninitialised
__global__ void pass(int *x) {
    __shared__ int tile[96];
    tile[threadIdx.x] = x[threadIdx.x];  // <- other
#ifdef MENDED
    asm volatile("bar.sync 1, 96;" ::: "memory");
#else
    if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
#endif
    x[threadIdx.x] = tile[95 - threadIdx.x];  // <- fault
}
