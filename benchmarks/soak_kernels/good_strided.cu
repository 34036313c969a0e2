// expected: pass
__global__ void k(int n, float a, float *x) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= a;
}
void scale(int n, float a, float *x) { if (n > 0) k<<<(n + 127) / 128, 128>>>(n, a, x); }
