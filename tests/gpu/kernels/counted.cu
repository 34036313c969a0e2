// Kernels whose counters are known beforehand, and kernels with one fault each.
__global__ void copy(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}
__global__ void strided(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 8) y[i] = x[i * 8];
}
__global__ void grow(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[i];
}
__global__ void half_the_lanes(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i % n];
    if (threadIdx.x % 2)
        for (int k = 0; k < 200; k++) v = v * 1.5f + k;
    if (i < n) y[i] = v;
}
__global__ void conflicting(int n, const float *x, float *y) {
    __shared__ float tile[32][32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = threadIdx.x / 32, column = threadIdx.x % 32;
    for (int k = row; k < 32; k += blockDim.x / 32) tile[k][column] = x[i % n];
    __syncthreads();
    float sum = 0;
    for (int k = row; k < 32; k += blockDim.x / 32) sum += tile[column][k];
    if (i < n) y[i] = sum;
}
__global__ void together(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&y[i & 1023], x[i]);
}
__global__ void past(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i];
}
__global__ void racing(int n, const float *x, float *y) {
    __shared__ float tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = x[i % n];
    float other = tile[255 - threadIdx.x];
    if (i < n) y[i] = other;
}
