// The last element has no right neighbour.
// run: forward<<<1, 32>>>(x, y, 32)
// arrays: x = float[32], y = float[32]
// expect: out_of_bounds, thread (31,0,0), x[32], guard the border
__global__ void forward(const float *x, float *y, int n) {
    int i = threadIdx.x;
#ifdef MENDED
    float right = i + 1 < n ? x[i + 1] : 0.0f;
#else
    float right = x[i + 1];  // <- fault
#endif
    y[i] = right - x[i];
}
