// expected: mismatch
__global__ void k(int n, float a, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) x[i] = a * x[i];
}
void scale(int n, float a, float *x) { if (n > 0) k<<<(n + 127) / 128, 128>>>(n, a, x); }
