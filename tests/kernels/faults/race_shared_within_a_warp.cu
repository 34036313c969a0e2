// Lanes of a warp do not run in step: the neighbour may not have written yet.
// run: shift<<<1, 32>>>(x)
// arrays: x = float[32]
// expect: shared_race, no __syncwarp() or barrier stands between, put __syncwarp() between line
// also: uninitialised
__global__ void shift(float *x) {
    __shared__ float tile[32];
    tile[threadIdx.x] = x[threadIdx.x];  // <- other
#ifdef MENDED
    __syncwarp();
#endif
    x[threadIdx.x] = tile[(threadIdx.x + 1) % 32];  // <- fault
}
