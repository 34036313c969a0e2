__global__ void two_ways(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    if (threadIdx.x % 2)
        for (int k = 0; k < 20; k++) v = v * 1664525 + 1013904223;
    else
        for (int k = 0; k < 20; k++) v = (v ^ v << 13) + (v >> 5);
    out[i] = v;
}

__global__ void by_whole_warps(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    if (threadIdx.x / 32 % 2)
        for (int k = 0; k < 20; k++) v = v * 1664525 + 1013904223;
    else
        for (int k = 0; k < 20; k++) v = (v ^ v << 13) + (v >> 5);
    out[i] = v;
}

__global__ void loop_of_lane(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    for (int k = 0; k < threadIdx.x % 32; k++) v = v * 1664525 + k;
    out[i] = v;
}

__global__ void collatz(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
    for (unsigned v = in[i]; v != 1; steps++) v = v % 2 ? 3 * v + 1 : v / 2;
    out[i] = steps;
}

__global__ void early_return(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    if (v % 4 != 0) return;
    for (int k = 0; k < 50; k++) v = v * 1664525 + 1013904223 + (v >> 16);
    out[i] = v;
}

__global__ void cases(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    switch (v & 7) {
        case 0: for (int k = 0; k < 10; k++) v = v * 3 + 1; break;
        case 1: for (int k = 0; k < 12; k++) v = v ^ v << 3; break;
        case 2: for (int k = 0; k < 14; k++) v = v - (v >> 2); break;
        case 3: for (int k = 0; k < 16; k++) v = v * v + 7; break;
        case 4: for (int k = 0; k < 18; k++) v = (v | 1) * 5; break;
        case 5: for (int k = 0; k < 20; k++) v = v + (v << 7); break;
        default: v = -v;
    }
    out[i] = v;
}

__global__ void barriers_in_a_loop(const int *in, int *out, int rounds) {
    __shared__ int row[128];
    int t = threadIdx.x;
    row[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int k = 0; k < rounds; k++) {
        int v = row[(t + 1) % 128];
        __syncthreads();
        row[t] += v;
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = row[t];
}

__global__ void votes(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    unsigned odd = __ballot_sync(~0u, v & 1);
    int sum = __popc(odd) + 100 * __any_sync(~0u, v == 3) + 1000 * __all_sync(~0u, v >= 0);
    if (v & 1) sum += __popc(odd & ((1u << threadIdx.x % 32) - 1)) + __popc(__match_any_sync(odd, v & 6));
    out[i] = sum;
}
