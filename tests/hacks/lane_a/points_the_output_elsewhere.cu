// row: 14
// function: twice
// expect: fault: is never written
// device: fault
// twin: smooth/swaps_pointers
// Sets its own y to a buffer of its own and writes there.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n <= 0) return;
    cudaMalloc(&y, n * sizeof(float));
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
