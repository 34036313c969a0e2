// The write, too, needs the guard.
// run: fill<<<4, 32>>>(y, 127)
// arrays: y = float[127]
// expect: out_of_bounds, block (3,0,0), thread (31,0,0), y[127], writes
__global__ void fill(float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef MENDED
    if (i >= n) return;
#endif
    y[i] = 1.0f;  // <- fault
}
