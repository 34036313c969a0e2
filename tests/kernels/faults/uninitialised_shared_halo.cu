// The tile has room for a halo that nobody loads.
// run: blur<<<1, 32>>>(x, y)
// arrays: x = float[32], y = float[32]
// expect: uninitialised, in shared memory, tile[, load the halo too
__global__ void blur(const float *x, float *y) {
    __shared__ float tile[34];
    int i = threadIdx.x;
    tile[i + 1] = x[i];
#ifdef MENDED
    if (i < 2) tile[i * 33] = 0.0f;
#endif
    __syncthreads();
    y[i] = tile[i] + tile[i + 1] + tile[i + 2];  // <- fault
}
