// How lanes spread over sectors: element size, stride, offset, layout of records.
#include <cuda_fp16.h>

template <typename T> __global__ void copy(const T *in, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

__global__ void copy_offset(const float *in, float *out, int n, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i + offset];
}

__global__ void copy_grid_stride(const float *in, float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}

__global__ void read_stride(const float *in, float *out, int n, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[(long long)i * stride];
}

__global__ void write_stride(const float *in, float *out, int n, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[(long long)i * stride] = in[i];
}

__global__ void read_block_of_four(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < 4; k++) sum += in[4 * i + k];  // each thread its own 16 bytes, one word at a time
    out[i] = sum;
}

struct Particle { float x, y, z; };

__global__ void length_of_records(const Particle *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sqrtf(p[i].x * p[i].x + p[i].y * p[i].y + p[i].z * p[i].z);
}

__global__ void length_of_columns(const float *x, const float *y, const float *z, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sqrtf(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
}

__global__ void broadcast_add(const float *row, const float *scale, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = row[i] * scale[blockIdx.x];
}

__global__ void gather(const float *in, const int *at, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[at[i]];
}

__global__ void scatter(const float *in, const int *at, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[at[i]] = in[i];
}

__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void half_axpy(int n, float a, const __half2 *x, __half2 *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}

// Reads the whole array `rounds` times, one pass after the other.
__global__ void read_again(const float4 *in, float *out, int n, int rounds) {
    float sum = 0.0f;
    int step = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++)
        for (int i = first; i < n; i += step) {
            float4 v = in[i];
            sum += v.x + v.y + v.z + v.w;
        }
    out[first] = sum;
}

__global__ void fill(float4 *out, int n, float v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = make_float4(v, v, v, v);
}

__global__ void increment(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1.0f;
}

// A table that all threads use, small enough for L1.
__global__ void table_lookup(const unsigned char *in, const float *table, float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = table[in[i]];
}

__global__ void past_l1(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __ldcg(&in[i]) + __ldcg(&in[i ^ 1]);
}
