// row: 37
// function: twice
// expect: build: /etc/passwd
// twin: twice/macros
// The compiler's log would show the file's first line.
#include "/etc/passwd"
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
