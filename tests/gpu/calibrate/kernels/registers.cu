// Local memory, and how many warps fit.
__global__ void local_array(const int *in, int *out, int rounds) {
    int seen[16], i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 16; k++) seen[k] = k;
    unsigned v = in[i];
    for (int k = 0; k < rounds; k++) {
        v = v * 1664525u + 1013904223u;
        seen[v >> 28] += k;
    }
    int sum = 0;
    for (int k = 0; k < 16; k++) sum = sum * 31 + seen[k];
    out[i] = sum;
}

// Every lane the same index: its words lie side by side.
__global__ void local_array_together(const int *in, const int *order, int *out, int rounds) {
    int seen[16], i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 16; k++) seen[k] = k;
    for (int k = 0; k < rounds; k++) seen[order[k] & 15] += in[i] ^ k;
    int sum = 0;
    for (int k = 0; k < 16; k++) sum = sum * 31 + seen[k];
    out[i] = sum;
}

// Sixty-four sums at once in at most 32 registers: ptxas must spill.
__global__ void __launch_bounds__(1024, 2) spilled(const float *in, float *out, int n) {
    float sum[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 64; k++) sum[k] = in[(i + k) % n];
#pragma unroll 1
    for (int r = 0; r < 4; r++) {
#pragma unroll
        for (int k = 0; k < 64; k++) sum[k] = sum[k] * 0.5f + sum[(k + 7) % 64];
    }
    float all = 0.0f;
#pragma unroll
    for (int k = 0; k < 64; k++) all += sum[k];
    out[i] = all;
}

// 48 running values a thread, all alive to the end.
__global__ void many_registers(const float *in, float *out, int rounds) {
    float v[48];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 48; k++) v[k] = in[i] + k;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < 48; k++) v[k] = v[k] * 0.75f + v[(k + 1) % 48];
    }
    float all = 0.0f;
#pragma unroll
    for (int k = 0; k < 48; k++) all += v[k];
    out[i] = all;
}

__global__ void dynamic_shared(const int *in, int *out) {
    extern __shared__ int row[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    row[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = row[blockDim.x - 1 - threadIdx.x];
}

__constant__ float weights[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
    26, 27, 28, 29, 30, 31, 32};

__global__ void polynomial(const float *in, float *out, int n, int degree) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f, x = in[i];
    for (int k = 0; k < degree; k++) sum = sum * x + weights[k];
    out[i] = sum;
}

__global__ void constant_by_lane(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * weights[threadIdx.x % 32];
}

// Elements of 16 bytes, each lane at its own.
__global__ void local_vectors(const int *in, int *out, int rounds) {
    int4 seen[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 8; k++) seen[k] = make_int4(k, k + 1, k + 2, k + 3);
    unsigned v = in[i];
    for (int k = 0; k < rounds; k++) {
        v = v * 1664525u + 1013904223u;
        int4 one = seen[v >> 29];
        seen[v >> 29] = make_int4(one.y, one.z + k, one.w, one.x ^ k);
    }
    int sum = 0;
    for (int k = 0; k < 8; k++) sum = sum * 31 + seen[k].x + seen[k].y * 3 + seen[k].z * 5 + seen[k].w * 7;
    out[i] = sum;
}
