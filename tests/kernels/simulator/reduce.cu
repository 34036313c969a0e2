__global__ void by_shuffles(const float* x, float* total, int n) {
    __shared__ float of_warp[32];
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0.0f;
        for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
        if (threadIdx.x == 0) atomicAdd(total, v);
    }
}

template <typename T, int size>
__global__ void in_shared(const T* x, T* total) {
    __shared__ T s[size];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * size + t];
    __syncthreads();
    for (int o = size / 2; o > 0; o >>= 1) {
        if (t < o) s[t] += s[t + o];
        __syncthreads();
    }
    if (t == 0) atomicAdd(total, s[0]);
}

__global__ void without_syncwarp(const float* x, float* total) {
    volatile __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
    }
    if (t == 0) *total = s[0];
}

__global__ void with_syncwarp(const float* x, float* total) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t < 32) {
        for (int o = 32; o > 0; o >>= 1) {
            float v = s[t] + s[t + o];
            __syncwarp();
            s[t] = v;
            __syncwarp();
        }
    }
    if (t == 0) *total = s[0];
}

// The last block to arrive adds the partial sums: an honest hand-over between blocks.
__global__ void last_block(const float* x, float* partial, unsigned* arrived, float* total) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = x[blockIdx.x];
        __threadfence();
        is_last = atomicInc(arrived, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        float sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += partial[b];
        *total = sum;
    }
}

__global__ void last_block_without_fence(const float* x, float* partial, unsigned* arrived, float* total) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = x[blockIdx.x];
        is_last = atomicInc(arrived, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        float sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += partial[b];
        *total = sum;
    }
}
