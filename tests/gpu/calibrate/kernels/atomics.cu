// What comes out does not depend on the order: integers, floats with exact sums, maxima.
template <typename T> __global__ void add_spread(T *bins, int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[(unsigned)i * 2654435761u % (unsigned)count], (T)1);
}

template <typename T> __global__ void add_one_place(T *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, (T)1);
}

__global__ void maximum_by_swap(const float *in, float *most, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int *where = (int *)&most[i % 1024], old = *(volatile int *)where;
    while (__int_as_float(old) < in[i]) {
        int seen = atomicCAS(where, old, __float_as_int(in[i]));
        if (seen == old) break;
        old = seen;
    }
}

__global__ void add_in_shared(const int *in, float *out, int n) {
    __shared__ float bins[32];
    if (threadIdx.x < 32) bins[threadIdx.x] = 0.0f;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i] & 31], 1.0f);
    __syncthreads();
    if (threadIdx.x < 32) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

__global__ void slots(const int *in, int *count, int *kept, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 8 == 0) atomicAdd(&kept[atomicAdd(count, 1) % 1024], 1);
}

// Where ptxas may let one lane do it for all: whole numbers at one place.
__global__ void sums_at_one_place(const int *in, int *sum, int *most, unsigned long long *wide, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&sum[blockIdx.x], in[i]);
    atomicMax(most, in[i]);
    atomicAdd(wide, (unsigned long long)in[i]);
}

__global__ void shared_at_one_place(const int *in, int *out) {
    __shared__ int sum, count, most;
    if (threadIdx.x == 0) sum = count = most = 0;
    __syncthreads();
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(&sum, v);
    atomicAdd(&count, 1);
    atomicMax(&most, v);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum + count + most;
}

__global__ void counted_places(const int *in, int *out) {
    __shared__ int taken;
    if (threadIdx.x == 0) taken = 0;
    __syncthreads();
    int v = in[blockIdx.x * blockDim.x + threadIdx.x], mine = -1;
    if (v % 3 == 0) mine = atomicAdd(&taken, 1);  // the answer is used
    __syncthreads();
    if (mine >= 0) atomicAdd(&out[blockIdx.x], mine);
}
