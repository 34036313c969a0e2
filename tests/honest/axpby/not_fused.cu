// Rounds after each operation, as the C does.
__global__ void k(int n, float a, float b, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __fadd_rn(__fmul_rn(a, x[i]), __fmul_rn(b, y[i]));
}

void axpby(int n, float a, float b, const float *x, float *y) {
    if (n > 0) k<<<(n + 127) / 128, 128>>>(n, a, b, x, y);
}
