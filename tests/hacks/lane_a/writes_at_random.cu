// row: 38
// function: twice
// expect: fault: 
// device: fault | mismatch
// twin: twice/four_a_thread
// Writes over whatever lies at a wild address, code perhaps.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
    *(volatile int *)(((unsigned long long)y >> 21 << 21) + 0x100000000ull + 4 * threadIdx.x) = 0;
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
