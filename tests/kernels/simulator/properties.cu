#include <cstdio>

// Several warps of a block read the same bytes, or do not.
__global__ void product(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];  // warps read the same words of b
    c[i * n + j] = sum;
}

__global__ void product_with_a_dummy(const float* a, const float* b, float* c, int n) {
    __shared__ float dummy[1024];
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    volatile float* mine = &dummy[threadIdx.y * blockDim.x + threadIdx.x];
    *mine = 0;
    float sum = *mine;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
}

template <int R>
__global__ void window(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k <= 2 * R; k++)
        sum += x[i + k];
    y[i] = sum;
}

template <int R>
__global__ void cross(const float* x, float* y, int n) {
    int i = R + blockIdx.y * blockDim.y + threadIdx.y, j = R + blockIdx.x * blockDim.x + threadIdx.x;
    float sum = x[i * n + j];
    for (int k = 1; k <= R; k++)
        sum += x[i * n + j - k] + x[i * n + j + k] + x[(i - k) * n + j] + x[(i + k) * n + j];
    y[i * n + j] = sum;
}

__global__ void bodies(const float* x, float* f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0, own = x[i];
    for (int j = 0; j < n; j++)
        sum += own - x[j];
    f[i] = sum;
}

__global__ void biased(const float* x, const float* bias, float* y, int n) {
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    y[i * n + j] = x[i * n + j] + bias[j];
}

__global__ void accumulated(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile float* sum = y;
    for (int k = 0; k < n; k++)
        sum[i] = sum[i] + x[i];
}

__global__ void rows(const float* a, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k] * x[k];
    y[i] = sum;
}

// Odd ones.
__global__ void nothing() {}

__global__ void only_atomics(int* counts) {
    atomicAdd(&counts[threadIdx.x & 7], 1 + (int)threadIdx.x);
}

__global__ void combined_atomics(const unsigned char* x, int* counts) {
    __shared__ int mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&mine[x[threadIdx.x]], 1);
    __syncthreads();
    counts[threadIdx.x] = mine[threadIdx.x];
}

__global__ void only_shared(int stride) {
    __shared__ volatile int tile[32 * 33];
    tile[threadIdx.x * stride] = threadIdx.x;
    tile[threadIdx.x * stride] = tile[threadIdx.x * stride] + 1;
}

__global__ void doubles(const double* x, double* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 2.0 * x[i];
}

struct Point { float x, y, z; int kind; };

__global__ void first_members(const Point* points, float* x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = points[i].x + points[i].y;
}

__global__ void speaking(const float* x) {
    if (threadIdx.x == 0)
        printf("%g\n", x[blockIdx.x]);
}

__global__ void two_waits(const float* x, float* y, int n) {
    __shared__ float part[128], sums[128];
    float sum = 0;
    part[threadIdx.x] = x[threadIdx.x];
    __syncthreads();  // all come at once
    if (threadIdx.x < 32)
        for (int k = 0; k < n; k++) sum += part[k & 127] * x[k & 127];
    sums[threadIdx.x] = sum;
    __syncthreads();  // three warps wait for the first
    y[threadIdx.x] = sums[threadIdx.x ^ 32];
}
