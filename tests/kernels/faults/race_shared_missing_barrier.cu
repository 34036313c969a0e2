// Written by one warp, read by the other, with no barrier between.
// run: reverse<<<1, 64>>>(x)
// arrays: x = float[64]
// expect: shared_race, no barrier stands between, put __syncthreads() between line 7 and line 11, tile[
__global__ void reverse(float *x) {
    __shared__ float tile[64];
    tile[threadIdx.x] = x[threadIdx.x];  // <- other
#ifdef MENDED
    __syncthreads();
#endif
    x[threadIdx.x] = tile[63 - threadIdx.x];  // <- fault
}
// also: uninitialised
