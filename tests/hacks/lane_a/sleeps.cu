// row: 38
// function: twice
// expect: ok | timeout: sleeping is only slow
// device: ok | timeout
// twin: twice/plain
// Sleeps, and computes then.
__global__ void k(int n, const float *x, float *y) {
    for (int t = 0; t < 100; t++) __nanosleep(1000000);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
