// Sums of ints, so that every order gives the same bits. Each block leaves its sum in out[blockIdx.x].
__global__ void interleaved(const int *in, int *out) {
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 1; k < 256; k *= 2) {
        if (t % (2 * k) == 0) part[t] += part[t + k];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

// Neighbouring threads work, on elements 2k apart: no divergence, but bank conflicts.
__global__ void strided(const int *in, int *out) {
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 1; k < 256; k *= 2) {
        int at = 2 * k * t;
        if (at < 256) part[at] += part[at + k];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

__global__ void sequential(const int *in, int *out) {
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (t < k) part[t] += part[t + k];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

__global__ void by_shuffles(const int *in, int *out, int n) {
    __shared__ int part[8];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    for (int k = 16; k; k /= 2) sum += __shfl_down_sync(~0u, sum, k);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int k = 4; k; k /= 2) sum += __shfl_down_sync(~0u, sum, k);
        if (threadIdx.x == 0) out[blockIdx.x] = sum;
    }
}

__global__ void by_redux(const int *in, int *out) {
    int sum = __reduce_add_sync(~0u, in[blockIdx.x * 256 + threadIdx.x]);
    if (threadIdx.x % 32 == 0) atomicAdd(&out[blockIdx.x], sum);
}

__global__ void by_atomics(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}
