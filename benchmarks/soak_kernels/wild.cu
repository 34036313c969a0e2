// expected: fault
__global__ void k(int n, float a, float *x) {
    x[(size_t)1 << 40] = a;
}
void scale(int n, float a, float *x) { if (n > 0) k<<<(n + 127) / 128, 128>>>(n, a, x); }
