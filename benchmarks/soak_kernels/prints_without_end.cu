// expected: timeout
#include <stdio.h>
__global__ void k(int n, float a, float *x) {
    while (a == a) printf("noise %d\n", n);
}
void scale(int n, float a, float *x) { if (n > 0) k<<<(n + 127) / 128, 128>>>(n, a, x); }
