// mma.sync on fragments that lie in memory as each lane holds them: a warp, its own A, B and C.
__global__ void half_m16n8k16(const unsigned *a, const unsigned *b, const float *c, float *d) {
    int i = blockIdx.x * 32 + threadIdx.x;
    const unsigned *p = a + i * 4, *q = b + i * 2;
    float r[4];
    for (int k = 0; k < 4; k++) r[k] = c[i * 4 + k];
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(r[0]), "+f"(r[1]), "+f"(r[2]), "+f"(r[3]) : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(q[0]), "r"(q[1]));
    for (int k = 0; k < 4; k++) d[i * 4 + k] = r[k];
}

__global__ void bfloat_m16n8k16(const unsigned *a, const unsigned *b, const float *c, float *d) {
    int i = blockIdx.x * 32 + threadIdx.x;
    const unsigned *p = a + i * 4, *q = b + i * 2;
    float r[4];
    for (int k = 0; k < 4; k++) r[k] = c[i * 4 + k];
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(r[0]), "+f"(r[1]), "+f"(r[2]), "+f"(r[3]) : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(q[0]), "r"(q[1]));
    for (int k = 0; k < 4; k++) d[i * 4 + k] = r[k];
}

__global__ void tensor_float_m16n8k8(const unsigned *a, const unsigned *b, const float *c, float *d) {
    int i = blockIdx.x * 32 + threadIdx.x;
    const unsigned *p = a + i * 4, *q = b + i * 2;
    float r[4];
    for (int k = 0; k < 4; k++) r[k] = c[i * 4 + k];
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(r[0]), "+f"(r[1]), "+f"(r[2]), "+f"(r[3]) : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(q[0]), "r"(q[1]));
    for (int k = 0; k < 4; k++) d[i * 4 + k] = r[k];
}

__global__ void bytes_m16n8k32(const unsigned *a, const unsigned *b, const int *c, int *d) {
    int i = blockIdx.x * 32 + threadIdx.x, r[4];
    const unsigned *p = a + i * 4, *q = b + i * 2;
    for (int k = 0; k < 4; k++) r[k] = c[i * 4 + k];
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3]) : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(q[0]), "r"(q[1]));
    for (int k = 0; k < 4; k++) d[i * 4 + k] = r[k];
}

__global__ void half_m16n8k8_in_half(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *d) {
    int i = blockIdx.x * 32 + threadIdx.x;
    unsigned r[2] = {c[i * 2], c[i * 2 + 1]};
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};"
        : "+r"(r[0]), "+r"(r[1]) : "r"(a[i * 2]), "r"(a[i * 2 + 1]), "r"(b[i]));
    d[i * 2] = r[0];
    d[i * 2 + 1] = r[1];
}
