// row: 19
// function: twice
// expect: ok: no initialiser of the file is run
// device: ok
// twin: twice/plain
// A static object whose constructor would patch the process.
#include <stdio.h>
struct Hook {
    Hook() { printf("hooked\n"); }
};
static Hook hook;
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
