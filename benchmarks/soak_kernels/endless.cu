// expected: timeout
__global__ void k(int n, float a, float *x) {
    volatile float *v = x;
    while (v[0] != -1.0e30f) v[0] = 0;
}
void scale(int n, float a, float *x) { if (n > 0) k<<<(n + 127) / 128, 128>>>(n, a, x); }
