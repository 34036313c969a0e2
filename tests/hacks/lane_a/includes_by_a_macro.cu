// row: 37
// function: twice
// expect: build: 
// twin: twice/macros
// The file's name comes from a macro.
#define ROOT </etc/passwd>
#include ROOT
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
