// Any pattern of lanes over memory, given as data: lane l of warp w takes element at[32 w + l]; below zero it takes none.
// Elements of 4, 8 and 16 bytes.
__device__ unsigned mixed(unsigned v) { return v; }
__device__ unsigned mixed(uint2 v) { return v.x ^ v.y; }
__device__ unsigned mixed(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }
__device__ void set(unsigned &v, unsigned to) { v = to; }
__device__ void set(uint2 &v, unsigned to) { v = make_uint2(to, to + 1); }
__device__ void set(uint4 &v, unsigned to) { v = make_uint4(to, to + 1, to + 2, to + 3); }

template <typename T> __global__ void shared_load(const int *at, unsigned *out) {
    __shared__ T tile[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) set(tile[i], i * 2654435761u);
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, where = at[i];
    out[i] = where >= 0 ? mixed(tile[where]) : 0;
}

template <typename T> __global__ void shared_store(const int *at, unsigned *out) {
    __shared__ T tile[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) set(tile[i], 7);
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, where = at[i];
    if (where >= 0) set(tile[where], where * 2654435761u);  // lanes that meet write the same
    __syncthreads();
    unsigned sum = 0;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) sum = sum * 31 + mixed(tile[k]);
    out[i] = sum;
}

__global__ void shared_atomic(const int *at, unsigned *out) {
    __shared__ unsigned tile[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) tile[i] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, where = at[i];
    if (where >= 0) atomicAdd(&tile[where], 3u);
    __syncthreads();
    unsigned sum = 0;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) sum = sum * 31 + tile[k];
    out[i] = sum;
}

template <typename T> __global__ void global_load(const int *at, const T *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, where = at[i];
    out[i] = where >= 0 ? mixed(in[where]) : 0;
}

template <typename T> __global__ void global_store(const int *at, T *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, where = at[i];
    if (where >= 0) set(out[where], where * 2654435761u);
}

__global__ void global_reduce(const int *at, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, where = at[i];
    if (where >= 0) atomicAdd(&out[where], 3u);
}

__global__ void global_exchange(const int *at, unsigned *out, unsigned *seen) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, where = at[i];
    seen[i] = where >= 0 ? atomicExch(&out[where], 5u) & 0u : 1u;  // the answer is used, and the same in every order
}

__global__ void shared_atomic_long(const int *at, unsigned *out) {
    __shared__ unsigned long long tile[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) tile[i] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, where = at[i];
    if (where >= 0) atomicAdd(&tile[where], 3ull);
    __syncthreads();
    unsigned sum = 0;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) sum = sum * 31 + (unsigned)tile[k];
    out[i] = sum;
}

// Elements of one and two bytes.
template <typename T> __global__ void shared_load_narrow(const int *at, unsigned *out) {
    __shared__ T tile[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) tile[i] = (T)(i * 167);
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, where = at[i];
    out[i] = where >= 0 ? tile[where] : 0;
}

__global__ void global_reduce_long(const int *at, unsigned long long *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, where = at[i];
    if (where >= 0) atomicAdd(&out[where], 3ull);
}

template <typename T> __global__ void global_load_narrow(const int *at, const T *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, where = at[i];
    out[i] = where >= 0 ? in[where] : 0;
}

// cp.async of 16 bytes a lane: from in[at] to shared memory at to[], past L1.
__global__ void copy_async(const int *at, const int *to, const uint4 *in, unsigned *out) {
    __shared__ uint4 tile[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) set(tile[i], 5);
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, where = at[i];
    unsigned target = (unsigned)__cvta_generic_to_shared(&tile[to[i] & 1023]);
    if (where >= 0) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(target), "l"(in + where) : "memory");
    asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    unsigned sum = 0;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) sum = sum * 31 + mixed(tile[k]);
    out[i] = sum;
}

// Each lane hands ldmatrix.x4 the address of the row at[]; rows are 16 bytes.
__global__ void load_matrix(const int *at, unsigned *out) {
    __shared__ uint4 tile[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) set(tile[i], i * 2654435761u);
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned from = (unsigned)__cvta_generic_to_shared(&tile[at[i] & 1023]), a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(from) : "memory");
    out[i] = a ^ b * 3 ^ c * 5 ^ d * 7;
}
