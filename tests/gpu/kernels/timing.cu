// Kernels whose behaviour the timing has to see: honest ones, and some that are not.
__global__ void copy(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}
__global__ void add(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 0.5f * y[i] + x[i];
}
__global__ void total(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(y, x[i]);
}
__global__ void beyond(float *y, int n) { y[n + 2] = 1; }
__global__ void wild(float *y) { y[(size_t)1 << 40] = 1; }
