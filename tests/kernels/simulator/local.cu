/* Arrays of a thread that cannot live in registers, because it is not known before which element is meant. */
extern "C" __global__ void turned(const int *at, float *y, int n) {
    float held[16];
#pragma unroll 1
    for (int i = 0; i < n; i++) held[i] = i * 0.5f;  // same element
    y[threadIdx.x] = held[at[threadIdx.x]];  // own element
}

extern "C" __global__ void wide(const int *at, double *y, int n) {
    double held[16];
#pragma unroll 1
    for (int i = 0; i < n; i++) held[i] = i * 0.5;  // same double
    y[threadIdx.x] = held[at[threadIdx.x]];  // own double
}

__device__ __noinline__ float taken(const float *p, int i) { return p[i]; }

extern "C" __global__ void by_pointer(const int *at, float *y, int n) {
    float held[16];
    __shared__ float other[16];
#pragma unroll 1
    for (int i = 0; i < n; i++) held[i] = other[i] = i * 0.5f;
    const float *from = threadIdx.x % 2 ? held : other;
    y[threadIdx.x] = taken(from, at[threadIdx.x]);  // either
}
