// row: 7
// function: twice
// expect: ok: the report lists the sizes that it stands on; a device is filled with far larger ones
// device: fault | mismatch
// twin: twice/four_a_thread
// The branch is in the kernel, for sizes above all that the simulator is given.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && n < 100000) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
