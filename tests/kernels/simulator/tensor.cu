// Products of matrices held by a warp. The raw kernels take and give the registers of all lanes, lane by lane.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;
typedef unsigned u32;

#define READ(name, count) u32 name[count]; for (int i = 0; i < count; i++) name[i] = name##_in[threadIdx.x * count + i]
#define WRITE(count) for (int i = 0; i < count; i++) d_out[threadIdx.x * count + i] = d[i]
#define KERNEL(name) __global__ void name(const u32* a_in, const u32* b_in, const u32* c_in, u32* d_out)

// A product with two registers of a, one of b, four of c and d; the next with four and two.
#define SMALL(name, opcode)                                                                              \
    KERNEL(name) {                                                                                       \
        READ(a, 2); READ(b, 1); READ(c, 4);                                                              \
        u32 d[4];                                                                                        \
        asm volatile(opcode " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"                      \
                     : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                    \
                     : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));     \
        WRITE(4);                                                                                        \
    }
#define LARGE(name, opcode)                                                                              \
    KERNEL(name) {                                                                                       \
        READ(a, 4); READ(b, 2); READ(c, 4);                                                              \
        u32 d[4];                                                                                        \
        asm volatile(opcode " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"       \
                     : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                    \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]),      \
                       "r"(c[1]), "r"(c[2]), "r"(c[3]));                                                 \
        WRITE(4);                                                                                        \
    }
#define TINY(name, opcode)                                                                               \
    KERNEL(name) {                                                                                       \
        READ(a, 1); READ(b, 1); READ(c, 2);                                                              \
        u32 d[2];                                                                                        \
        asm volatile(opcode " {%0, %1}, {%2}, {%3}, {%4, %5};"                                           \
                     : "=r"(d[0]), "=r"(d[1]) : "r"(a[0]), "r"(b[0]), "r"(c[0]), "r"(c[1]));             \
        WRITE(2);                                                                                        \
    }

#define MMA "mma.sync.aligned."
SMALL(f16_k8, MMA "m16n8k8.row.col.f32.f16.f16.f32")
SMALL(bf16_k8, MMA "m16n8k8.row.col.f32.bf16.bf16.f32")
SMALL(tf32_k4, MMA "m16n8k4.row.col.f32.tf32.tf32.f32")
SMALL(s8_k16, MMA "m16n8k16.row.col.s32.s8.s8.s32")
SMALL(s4_k32, MMA "m16n8k32.row.col.s32.s4.s4.s32")
LARGE(f16_k16, MMA "m16n8k16.row.col.f32.f16.f16.f32")
LARGE(bf16_k16, MMA "m16n8k16.row.col.f32.bf16.bf16.f32")
LARGE(tf32_k8, MMA "m16n8k8.row.col.f32.tf32.tf32.f32")
LARGE(s8_k32, MMA "m16n8k32.row.col.s32.s8.s8.s32")
LARGE(u8s8_k32, MMA "m16n8k32.row.col.s32.u8.s8.s32")
LARGE(s8_k32_saturated, MMA "m16n8k32.row.col.satfinite.s32.s8.s8.s32")
LARGE(u4_k64, MMA "m16n8k64.row.col.s32.u4.u4.s32")
LARGE(e4m3_k32, MMA "m16n8k32.row.col.f32.e4m3.e4m3.f32")
LARGE(e5m2e4m3_k32, MMA "m16n8k32.row.col.f32.e5m2.e4m3.f32")
LARGE(b1_k256_and, MMA "m16n8k256.row.col.s32.b1.b1.s32.and.popc")
TINY(s8_m8, MMA "m8n8k16.row.col.s32.s8.s8.s32")
TINY(u4_m8, MMA "m8n8k32.row.col.s32.u4.u4.s32")
TINY(b1_m8_xor, MMA "m8n8k128.row.col.s32.b1.b1.s32.xor.popc")

KERNEL(f16_sums) {
    READ(a, 4); READ(b, 2); READ(c, 2);
    u32 d[2];
    asm volatile(MMA "m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
                 : "=r"(d[0]), "=r"(d[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]));
    WRITE(2);
}

__global__ void f64_m8(const double* a, const double* b, const double* c, double* d) {
    int t = threadIdx.x;
    asm volatile(MMA "m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
                 : "=d"(d[2 * t]), "=d"(d[2 * t + 1]) : "d"(a[t]), "d"(b[t]), "d"(c[2 * t]), "d"(c[2 * t + 1]));
}

__global__ void f64_k16(const double* a, const double* b, const double* c, double* d) {
    const double *x = a + 8 * threadIdx.x, *y = b + 4 * threadIdx.x, *z = c + 4 * threadIdx.x;
    double* r = d + 4 * threadIdx.x;
    asm volatile(MMA "m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
                 "{%12, %13, %14, %15}, {%16, %17, %18, %19};"
                 : "=d"(r[0]), "=d"(r[1]), "=d"(r[2]), "=d"(r[3])
                 : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(x[4]), "d"(x[5]), "d"(x[6]), "d"(x[7]),
                   "d"(y[0]), "d"(y[1]), "d"(y[2]), "d"(y[3]), "d"(z[0]), "d"(z[1]), "d"(z[2]), "d"(z[3]));
}

__device__ u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }

// c = a * b of a 16 x k by a k x 8 tile, both row-major in shared memory with rows `pitch` halves apart.
template <int pitch>
__global__ void by_ldmatrix(const half* a, const half* b, float* c, int k) {
    __shared__ __align__(16) half left[16 * pitch], right[64 * 8];
    int lane = threadIdx.x;
    for (int i = lane; i < 16 * k; i += 32) left[i / k * pitch + i % k] = a[i];
    for (int i = lane; i < k * 8; i += 32) right[i] = b[i];
    __syncwarp();
    float d[4] = {0, 0, 0, 0};
    for (int at = 0; at < k; at += 16) {
        u32 x[4], y[2];
        u32 from = shared_address(left + lane % 16 * pitch + at + lane / 16 * 8);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"  // rows of a
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(from));
        from = shared_address(right + (at + lane % 16) * 8);
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(from));
        asm volatile(MMA "m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    }
    for (int i = 0; i < 4; i++) c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}

// Reads a tile whose last row lies past the array.
__global__ void past_the_tile(u32* y) {
    __shared__ __align__(16) half tile[15 * 8];
    for (int i = threadIdx.x; i < 120; i += 32) tile[i] = i;
    __syncwarp();
    u32 x[2];
    u32 from = shared_address(tile + threadIdx.x % 16 * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(x[0]), "=r"(x[1]) : "r"(from));  // last row
    y[threadIdx.x] = x[0] + x[1];
}

__global__ void without_a_barrier(u32* y) {
    __shared__ __align__(16) half tile[64];
    tile[threadIdx.x * 2] = 1;
    tile[threadIdx.x * 2 + 1] = 2;
    u32 x, from = shared_address(tile + threadIdx.x % 8 * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(x) : "r"(from));  // too early
    y[threadIdx.x] = x;
}

__global__ void stored_and_turned(const u32* x, u32* stored, u32* turned) {
    __shared__ __align__(16) u32 tile[64];
    int t = threadIdx.x;
    u32 moved, to = shared_address(tile + t % 16 * 4);
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(moved) : "r"(x[t]));
    turned[t] = moved;
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" : : "r"(to), "r"(x[t]), "r"(x[t] + 1) : "memory");
    __syncwarp();
    stored[t] = tile[t];
    stored[32 + t] = tile[32 + t];
}

template <int m, int n, int k, typename In, typename Sum, typename Left, typename Right>
__device__ void product(const In* a, const In* b, const Sum* c, Sum* d, int lda, int ldb) {
    wmma::fragment<wmma::matrix_a, m, n, k, In, Left> x;
    wmma::fragment<wmma::matrix_b, m, n, k, In, Right> y;
    wmma::fragment<wmma::accumulator, m, n, k, Sum> sum, start;
    wmma::load_matrix_sync(x, a, lda);
    wmma::load_matrix_sync(y, b, ldb);
    wmma::load_matrix_sync(start, c, n, wmma::mem_row_major);
    wmma::fill_fragment(sum, Sum(0));
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] = sum.x[i] + start.x[i] + start.x[i];
    wmma::mma_sync(sum, x, y, sum);
    wmma::store_matrix_sync(d, sum, m, wmma::mem_col_major);
}

// d, stored by columns, is a * b + 2 c; a and b are row-major with `by_row`, else stored by columns.
template <int m, int n, int k, typename In, typename Sum, bool by_row>
__global__ void wmma_product(const In* a, const In* b, const Sum* c, Sum* d) {
    if constexpr (by_row)
        product<m, n, k, In, Sum, wmma::row_major, wmma::row_major>(a, b, c, d, k, n);
    else
        product<m, n, k, In, Sum, wmma::col_major, wmma::col_major>(a, b, c, d, m, k);
}

__global__ void wmma_tf32(const float* a, const float* b, float* d) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::load_matrix_sync(x, a, 8);
    wmma::load_matrix_sync(y, b, 8);
    for (int i = 0; i < x.num_elements; i++) x.x[i] = wmma::__float_to_tf32(x.x[i]);
    for (int i = 0; i < y.num_elements; i++) y.x[i] = wmma::__float_to_tf32(y.x[i]);
    wmma::fill_fragment(sum, 0.0f);
    wmma::mma_sync(sum, x, y, sum);
    wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}

__global__ void wmma_f64(const double* a, const double* b, double* d) {
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;
    wmma::load_matrix_sync(x, a, 4);
    wmma::load_matrix_sync(y, b, 8);
    wmma::fill_fragment(sum, 0.0);
    wmma::mma_sync(sum, x, y, sum);
    wmma::store_matrix_sync(d, sum, 8, wmma::mem_row_major);
}

__global__ void half_a_warp(const u32* x, u32* y) {
    u32 moved;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(moved) : "r"(x[threadIdx.x]));  // 16 lanes
    y[threadIdx.x] = moved;
}
