// row: 34
// function: twice
// expect: build: 
// twin: twice/macros
// Shadows a header of CUDA with a file of its own.
#include "cuda_fp16.h.evil"
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
