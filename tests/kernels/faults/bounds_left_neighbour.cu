// The first element has no left neighbour.
// run: difference<<<1, 32>>>(x, y)
// arrays: x = float[32], y = float[32]
// expect: out_of_bounds, thread (0,0,0), x[-1], no neighbour before it
__global__ void difference(const float *x, float *y) {
    int i = threadIdx.x;
#ifdef MENDED
    float left = i > 0 ? x[i - 1] : 0.0f;
#else
    float left = x[i - 1];  // <- fault
#endif
    y[i] = x[i] - left;
}
