// row: 29
// function: twice
// expect: fault: is never written
// device: fault
// twin: twice/writes_its_tail_first
// Every thread leaves before it writes.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 0) asm volatile("exit;");
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
