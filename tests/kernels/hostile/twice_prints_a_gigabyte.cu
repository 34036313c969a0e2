// Prints without end.
#include <stdio.h>
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (;;) printf("%d is a long line that fills a disk when it is printed often enough\n", i);
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
