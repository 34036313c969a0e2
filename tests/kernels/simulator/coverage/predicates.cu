// Comparisons, selections, tests and moves of PTX by inline assembly; test_simulator_predicates.py names each result.
#define PUT(value) out[k++ * n + i] = (value)

// setp with two results, with a third predicate, and lop3 with one.
__global__ void predicates(const int* a, const int* b, const int* c, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    int x = a[i], y = b[i], z = c[i];
    unsigned d;
#define BOTH(op) \
    asm("{ .reg .pred p, q, r; .reg .b32 s, t; setp.gt.s32 r, %3, 0; setp." op " p|q, %1, %2" EXTRA ";" \
        " selp.u32 s, 1, 0, p; selp.u32 t, 2, 0, q; or.b32 %0, s, t; }" : "=r"(d) : "r"(x), "r"(y), "r"(z)); \
    PUT(d);
#define EXTRA ""
    BOTH("lt.s32")
    BOTH("lo.u32")
    BOTH("hs.u32")
    BOTH("eq.b32")
#undef EXTRA
#define EXTRA ", r"
    BOTH("le.and.s32")
    BOTH("hi.or.u32")
    BOTH("ne.xor.b32")
#undef EXTRA
#define EXTRA ", !r"
    BOTH("ge.and.s32")
    asm("{ .reg .pred p, q; .reg .b32 s, t; setp.gt.s32 q, %3, 0; lop3.or.b32 t|p, %1, %2, %3, 0x80, q;"
        " selp.u32 s, 1, 0, p; shl.b32 t, t, 1; or.b32 %0, s, t; }" : "=r"(d) : "r"(x), "r"(y), "r"(z));
    PUT(d);
    asm("{ .reg .pred p, q, r, s; setp.gt.s32 p, %1, 0; setp.gt.s32 q, %2, 0; and.pred r, p, q; xor.pred s, p, !q;"
        " or.pred r, r, s; not.pred r, r; mov.pred s, r; selp.u32 %0, 5, 9, s; }" : "=r"(d) : "r"(x), "r"(y));
    PUT(d);
    asm("slct.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(x), "r"(y), "r"(z));
    PUT(d);
    asm("{ .reg .pred p; setp.lt.s32 p, %1, %2; @p add.s32 %0, %1, 7; @!p sub.s32 %0, %2, 7; }" : "=r"(d) : "r"(x), "r"(y));
    PUT(d);
    asm("{ .reg .pred p; setp.gt.s32 p, %3, 0; set.lt.and.u32.s32 %0, %1, %2, p; }" : "=r"(d) : "r"(x), "r"(y), "r"(z));
    PUT(d);
}

// testp, slct and selp of floats; a NaN chooses the second.
__global__ void tests(const float* a, const float* b, const float* c, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    float x = a[i], y = b[i], z = c[i], f;
    double w = x, e;
    unsigned d;
#define TEST(op, type, constraint, v) \
    asm("{ .reg .pred p; testp." op "." type " p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(d) : constraint(v)); PUT(d);
#define TESTS(type, constraint, v) \
    TEST("finite", type, constraint, v) TEST("infinite", type, constraint, v) TEST("number", type, constraint, v) \
    TEST("notanumber", type, constraint, v) TEST("normal", type, constraint, v) TEST("subnormal", type, constraint, v)
    TESTS("f32", "f", x)
    TESTS("f64", "d", w)
    asm("slct.f32.f32 %0, %1, %2, %3;" : "=f"(f) : "f"(x), "f"(y), "f"(z));
    PUT(__float_as_uint(f));
    asm("{ .reg .pred p; setp.lt.f32 p, %1, %2; selp.f32 %0, %1, %2, p; }" : "=f"(f) : "f"(x), "f"(y));
    PUT(__float_as_uint(f));
    asm("{ .reg .pred p; setp.gtu.f64 p, %1, 0d3FF0000000000000; selp.f64 %0, %1, 0dBFF0000000000000, p; }" : "=d"(e) : "d"(w));
    PUT((unsigned)(__double_as_longlong(e) >> 32));
    asm("{ .reg .f32 t; mov.f32 t, 0f3FC00000; add.f32 %0, t, %1; }" : "=f"(f) : "f"(x));
    PUT(__float_as_uint(f));
}

// Packing and unpacking, sinks, and registers declared in nested scopes that hide others.
__global__ void moves(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    unsigned x = a[i], y = b[i], z = c[i], d, e;
    unsigned long long w;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {h, l}; }" : "=r"(d) : "r"(x));
    PUT(d);
    asm("mov.b64 %0, {%1, %2};" : "=l"(w) : "r"(x), "r"(y));
    asm("{ .reg .b16 p, q, r, s; mov.b64 {p, q, r, s}, %1; mov.b32 %0, {s, p}; }" : "=r"(d) : "l"(w));
    PUT(d);
    asm("mov.b64 {_, %0}, %1;" : "=r"(d) : "l"(w));
    PUT(d);
    asm("{ .reg .b8 p, q; .reg .b16 t; cvt.u16.u32 t, %1; mov.b16 {p, q}, t; mov.b16 t, {q, p}; cvt.u32.u16 %0, t; }"
        : "=r"(d) : "r"(x));
    PUT(d);
    asm("{ .reg .b32 t; add.u32 t, %1, 1; { .reg.b32 t; add.u32 t, %2, 2; { .reg .u32 t; mov.u32 t, 5; xor.b32 %0, t, %1; }"
        " add.u32 %0, %0, t; } add.u32 %0, %0, t; }" : "=&r"(d) : "r"(x), "r"(y));
    PUT(d);
    asm("{ .reg .pred p; setp.gt.u32 p, %1, %2; mov.u32 %0, 1; @p bra skip; mov.u32 %0, 2; skip: add.u32 %0, %0, 10; }"
        : "=r"(d) : "r"(x), "r"(y));
    PUT(d);
    asm("{ .reg .pred p; setp.gt.u32 p, %1, %2; mov.u32 %0, 3; @p bra skip; mov.u32 %0, 4; skip: add.u32 %0, %0, 20; }"
        : "=r"(d) : "r"(y), "r"(z));
    PUT(d);
    asm("{ .reg .b32 t<3>; mov.b32 t0, %1; not.b32 t1, t0; and.b32 t2, t1, 0xFF00FF00; or.b32 %0, t2, 017; }" : "=r"(d) : "r"(x));
    PUT(d);
    asm("{ .reg .f32 f; mov.b32 f, %1; neg.f32 f, f; mov.b32 %0, f; }" : "=r"(d) : "r"(x));
    PUT(d);
    asm("{ .reg .b64 p, q; .reg .b32 t; cvta.to.global.u64 p, %1; add.s64 q, p, -4; ld.global.u32 t, [q+4]; mov.u32 %0, t; }"
        : "=r"(d) : "l"(a + i) : "memory");
    PUT(d);
    asm("{ .reg .b64 p; cvta.to.global.u64 p, %1; ldu.global.u32 %0, [p]; }" : "=r"(d) : "l"(a + i) : "memory");
    PUT(d);
    e = 0;
    asm volatile("// a comment; with { braces\n\t{ .reg .u32 t; /* and\n another */ mov.u32 t, WARP_SZ; add.u32 %0, %0, t; }" : "+r"(e));
    PUT(e);
}

#if __CUDA_ARCH__ >= 900
// Registers of 128 bits.
__global__ void wide_moves(const ulonglong2* a, ulonglong2* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    ulonglong2 v = a[i], w;
    asm("{ .reg .b128 p, q; mov.b128 p, {%2, %3}; mov.b128 q, p; mov.b128 {%0, %1}, q; }" : "=l"(w.y), "=l"(w.x) : "l"(v.x), "l"(v.y));
    out[i] = w;
}
#endif
