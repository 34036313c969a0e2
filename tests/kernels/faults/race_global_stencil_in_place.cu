// Neighbours are read while others write them, across blocks too.
// run: smooth<<<2, 32>>>(x, y, 64)
// arrays: x = float[64], y = float[64]
// expect: global_race, x[, blocks run in any order, second array
__global__ void smooth(float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float left = 0.0f;
    if (threadIdx.x == 0 && i > 0) left = x[i - 1];  // <- fault
#ifdef MENDED
    y[i] = left + 1.0f;
#else
    x[i] = left + 1.0f;  // <- other
#endif
}
