// expected: timeout
__global__ void k(int n, float a, float *x) {
    if (threadIdx.x < 32) __syncthreads();
    else while (((volatile float *)x)[0] != -1.0e30f) { }
}
void scale(int n, float a, float *x) { if (n > 0) k<<<(n + 127) / 128, 128>>>(n, a, x); }
