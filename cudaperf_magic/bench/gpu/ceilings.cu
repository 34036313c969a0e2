// What a card can do at most: kernels that do one thing each, as fast as it goes. ceilings.py launches and times them.
typedef unsigned int u32;
typedef unsigned long long u64;

#define THREAD (blockIdx.x * (u64)blockDim.x + threadIdx.x)
#define DEPTH 4  // loads of 16 bytes in flight for each thread, a block apart

extern "C" __global__ void read_all(const uint4 *data, u64 vectors, u32 *never) {
    u64 at = blockIdx.x * (u64)blockDim.x * DEPTH + threadIdx.x;
    uint4 v[DEPTH];
    u32 seen = 0;
#pragma unroll
    for (int k = 0; k < DEPTH; k++)
        v[k] = at + k * blockDim.x < vectors ? __ldcs(data + at + k * blockDim.x) : make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int k = 0; k < DEPTH; k++) seen |= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
    if (seen == 0x5eed5eedu) *never = seen;
}

extern "C" __global__ void write_all(uint4 *data, u64 vectors, u32 value) {
    u64 at = blockIdx.x * (u64)blockDim.x * DEPTH + threadIdx.x;
#pragma unroll
    for (int k = 0; k < DEPTH; k++)
        if (at + k * blockDim.x < vectors) data[at + k * blockDim.x] = make_uint4(value, value, value, value);
}

// One vector a thread: on an H200 faster than several, which keep reads and writes of one block apart for longer.
extern "C" __global__ void copy_all(const uint4 *from, u64 vectors, uint4 *to) {
    if (THREAD < vectors) to[THREAD] = from[THREAD];
}

// Independent chains hide the latency of each; what they come to is written, so that none is dropped.
#define CHAINS 8
#define RATE(NAME, TYPE, STEP)                                                                                       \
    extern "C" __global__ void NAME(TYPE *results, u32 rounds, TYPE a, TYPE b) {                                     \
        TYPE x[CHAINS];                                                                                              \
        _Pragma("unroll") for (int k = 0; k < CHAINS; k++) x[k] = (TYPE)(threadIdx.x + k);                           \
        for (u32 round = 0; round < rounds; round++) {                                                               \
            _Pragma("unroll") for (int again = 0; again < 8; again++)                                                \
                _Pragma("unroll") for (int k = 0; k < CHAINS; k++) STEP;                                             \
        }                                                                                                            \
        TYPE sum = 0;                                                                                                \
        _Pragma("unroll") for (int k = 0; k < CHAINS; k++) sum += x[k];                                              \
        if (sum == (TYPE)-12345) results[0] = sum;                                                                   \
    }

RATE(fma_float, float, x[k] = fmaf(x[k], a, b))
RATE(fma_double, double, x[k] = fma(x[k], a, b))
RATE(add_int, int, x[k] = (x[k] ^ b) + a)  // additions alone would be joined
RATE(mul_int, int, asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(x[k]) : "r"(a), "r"(b)))
RATE(exp2_float, float, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x[k])))

extern "C" __global__ void nothing() {}

// A kernel to be timed against itself: of little work for each byte, or of much.
extern "C" __global__ void busy(const float *x, float *y, u32 elements, u32 rounds) {
    u32 i = THREAD;
    if (i >= elements) return;
    float value = x[i];
    for (u32 round = 0; round < rounds; round++) value = fmaf(value, 0.999f, 0.001f);
    y[i] = value;
}
