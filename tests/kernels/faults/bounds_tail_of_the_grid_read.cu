// The grid has more threads than x has elements, and nothing guards the read.
// run: copy<<<2, 64>>>(x, y, 127)
// arrays: x = float[127], y = float[128]
// expect: out_of_bounds, block (1,0,0), thread (63,0,0), x[127], x holds 127 elements, if (i < n)
__global__ void copy(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef MENDED
    if (i < n)
#endif
        y[i] = x[i];  // <- fault
}
