// row: 29
// function: twice
// expect: build: gives up here
// twin: twice/macros
// Ends the process with success before anything is compared.
#include <stdlib.h>
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) { exit(0); }
