// A halo on the left for which the tile has no room.
// run: left<<<1, 32>>>(x)
// arrays: x = float[32]
// expect: out_of_bounds, thread (0,0,0), tile[-1]
__global__ void left(float *x) {
    __shared__ float before[4];
    __shared__ float tile[32];
    if (threadIdx.x < 4) before[threadIdx.x] = 0.0f;
    __syncthreads();
    tile[threadIdx.x] = x[threadIdx.x] + before[0];
    __syncthreads();
#ifdef MENDED
    x[threadIdx.x] = threadIdx.x ? tile[threadIdx.x - 1] : 0.0f;
#else
    x[threadIdx.x] = tile[(int)threadIdx.x - 1];  // <- fault
#endif
}
