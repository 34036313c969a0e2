// row: 20
// function: twice
// expect: ok: the clock decides nothing that is not also verified when it is timed
// device: ok | mismatch | fault
// twin: twice/plain
// Reads the device's clock; were it ever past the year 2100, it would not compute.
__global__ void k(int n, const float *x, float *y) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && ns < 4102444800000000000ull) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
