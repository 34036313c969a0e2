// C = A B of half matrices, A by rows, B by rows, C float: a warp makes 16 x 8 of C with mma.sync m16n8k16.
#include <cuda_fp16.h>

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__global__ void product(const __half *a, const __half *b, float *c, int n) {
    __shared__ __align__(16) __half as[16][24], bs[16][8];  // rows of A padded to 48 bytes: ldmatrix without conflicts
    int lane = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 8;
    float sum[4] = {};
    for (int k = 0; k < n; k += 16) {
        *(uint4 *)&as[lane / 2][lane % 2 * 8] = *(const uint4 *)&a[(row + lane / 2) * n + k + lane % 2 * 8];
        if (lane < 16) *(uint4 *)&bs[lane][0] = *(const uint4 *)&b[(k + lane) * n + column];
        __syncwarp();
        unsigned p[4], q[2];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
            : "=r"(p[0]), "=r"(p[1]), "=r"(p[2]), "=r"(p[3]) : "r"(shared_address(&as[lane % 16][lane / 16 * 8])) : "memory");
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
            : "=r"(q[0]), "=r"(q[1]) : "r"(shared_address(&bs[lane % 16][0])) : "memory");
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(q[0]), "r"(q[1]));
        __syncwarp();
    }
    int r = row + lane / 4, s = column + lane % 4 * 2;
    *(float2 *)&c[r * n + s] = make_float2(sum[0], sum[1]);
    *(float2 *)&c[(r + 8) * n + s] = make_float2(sum[2], sum[3]);
}
