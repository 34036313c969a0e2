/* Kernels whose way through the caches can be told by hand. */
extern "C" __global__ void copy(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}

extern "C" __global__ void fill(float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 1.0f;
}

/* Every warp adds up all of x, one line after the other. */
extern "C" __global__ void sum_of_all(const float *x, float *y, int n) {
    float sum = 0.0f;
#pragma unroll 1
    for (int i = threadIdx.x % 32; i < n; i += 32) sum += x[i];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* The same, but every warp reads its part past L1. */
extern "C" __global__ void sum_past_l1(const float *x, float *y, int n) {
    float sum = 0.0f;
    for (int i = threadIdx.x % 32; i < n; i += 32) sum += __ldcg(x + i);
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void sum_volatile(const volatile float *x, float *y, int n) {
    float sum = 0.0f;
    for (int i = threadIdx.x % 32; i < n; i += 32) sum += x[i];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Each thread goes along a row of its own. */
extern "C" __global__ void rows(const float *x, float *y, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int i = 0; i < n; i++) sum += x[t * n + i];
    y[t] = sum;
}

/* One sector of each 64 bytes. */
extern "C" __global__ void every_other_sector(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[(i / 8) * 16 + i % 8];
}

extern "C" __global__ void count(int *counters, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(counters + i, 1);
}

/* Two halves with a barrier between them: the second half reads what the first has brought. */
extern "C" __global__ void in_two_halves(const float *x, float *y, int n) {
    __shared__ float unused[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    if (warp == 1)
#pragma unroll 1
        for (int i = lane; i < n; i += 32) sum += x[i];
    unused[lane] = 0.0f;
    __syncthreads();
    if (warp == 0)
#pragma unroll 1
        for (int i = lane; i < n; i += 32) sum += x[i];
    y[threadIdx.x] = sum;
}

extern "C" __global__ void gather(const float *x, const int *at, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[at[i]];
}

// One word of every sector.
__global__ void write_every_eighth(float *y) { y[8 * (blockIdx.x * blockDim.x + threadIdx.x)] = 1.0f; }

// All words of every sector, one after the other.
__global__ void write_word_by_word(float *y) {
    int first = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
#pragma unroll 1
    for (int k = 0; k < 8; k++) y[first + k] = 1.0f;
}
