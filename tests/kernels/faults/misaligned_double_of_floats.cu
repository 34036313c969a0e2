// A double made of two floats that begins at an odd one.
// run: pair<<<1, 1>>>(x, y)
// arrays: x = float[8], y = double[1]
// expect: misaligned, thread (0,0,0), x[3], 8 bytes at once
__global__ void pair(const float *x, double *y) {
#ifdef MENDED
    y[0] = *(const double *)(x + 2);
#else
    y[0] = *(const double *)(x + 3);  // <- fault
#endif
}
