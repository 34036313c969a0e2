// row: 38
// function: twice
// expect: build: 
// twin: twice/with_workspace
// Asks for more memory than there is, again and again.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    for (int t = 0; t < 100; t++) {
        float *work;
        cudaMalloc(&work, 1ull << 36);
    }
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
