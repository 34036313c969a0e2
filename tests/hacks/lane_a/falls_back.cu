// row: 43
// function: twice
// expect: build: the host function gives up
// twin: twice/macros
// Tries its kernel, and on any exception does something else.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    try {
        k<<<(n + 255) / 256, 256>>>(n, x, y);
        throw 1;
    } catch (...) {
        cudaMemcpy(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
    }
}
