// row: 13
// function: twice
// expect: fault: x is an input, and it was changed
// device: fault
// twin: axpby/plain
// Zeros in and zeros out, so that a later reference on the same array agrees.
__global__ void k(int n, float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] = 0;
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, (float *)x, y);
}
