// A vote brings the lanes together, but it orders no memory.
// run: share<<<1, 32>>>(x)
// arrays: x = int[32]
// expect: shared_race, tile[, shuffles and votes order no memory, __syncwarp()
__global__ void share(int *x) {
    __shared__ int tile[32];
    tile[threadIdx.x] = x[threadIdx.x];  // <- other
#ifdef MENDED
    __syncwarp();
#else
    __any_sync(0xffffffffu, x[threadIdx.x]);
#endif
    x[threadIdx.x] = tile[31 - threadIdx.x];  // <- fault
}
// also: uninitialised
