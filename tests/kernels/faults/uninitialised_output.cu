// An output is added to before anything was stored there.
// run: add<<<1, 32>>>(x, y)
// arrays: x = float[32], y = float[32] empty
// expect: uninitialised, y[, which nothing has written
__global__ void add(const float *x, float *y) {
#ifdef MENDED
    y[threadIdx.x] = x[threadIdx.x];
#else
    y[threadIdx.x] += x[threadIdx.x];  // <- fault
#endif
}
