// Written by one warp and read by another of the same block, in global memory.
// run: reverse<<<1, 64>>>(x, y)
// arrays: x = float[64], y = float[64]
// expect: global_race, y[, no barrier stands between, __syncthreads() between line
__global__ void reverse(float *x, float *y) {
    y[threadIdx.x] = x[threadIdx.x];  // <- other
#ifdef MENDED
    __syncthreads();
#endif
    x[threadIdx.x] = y[63 - threadIdx.x];  // <- fault
}
