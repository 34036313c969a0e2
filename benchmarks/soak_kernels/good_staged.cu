// expected: pass
__global__ void k(int n, float a, float *x) {
    __shared__ float part[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n) x[i] = part[threadIdx.x] * a;
}
void scale(int n, float a, float *x) { if (n > 0) k<<<(n + 127) / 128, 128>>>(n, a, x); }
