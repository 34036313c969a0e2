// Every atomic operation on every type, by one thread after the other operand, so that each answer is known.
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;

// Atomics of one operand, in global and in shared memory; the old values go to `old`.
#define ATOM(name, type, letter, part)                                                                      \
    __global__ void name(type* cell, const type* b, type* old, int n) {                                     \
        __shared__ type mine;                                                                               \
        mine = *cell;                                                                                       \
        for (int i = 0; i < n; i++) {                                                                       \
            type r, s;                                                                                      \
            asm volatile("atom.global." part " %0, [%1], %2;" : "=" letter(r) : "l"(cell), letter(b[i]) : "memory"); \
            asm volatile("atom.relaxed.cta.shared." part " %0, [%1], %2;"                                   \
                         : "=" letter(s) : "r"((u32)__cvta_generic_to_shared(&mine)), letter(b[i]) : "memory"); \
            asm volatile("red.gpu." part " [%0], %1;" ::"l"(cell), letter(b[i]) : "memory");                \
            old[2 * i] = r;                                                                                 \
            old[2 * i + 1] = s;                                                                             \
        }                                                                                                   \
    }
#define ANSWERED(name, type, letter, part)                                                                  \
    __global__ void name(type* cell, const type* b, type* old, int n) {                                     \
        for (int i = 0; i < n; i++)                                                                         \
            asm volatile("atom.acq_rel.gpu.global." part " %0, [%1], %2;" : "=" letter(old[i]) : "l"(cell), letter(b[i]) : "memory"); \
    }
#define COMPARED(name, type, letter, part)                                                                  \
    __global__ void name(type* cell, const type* b, type* old, int n) {                                     \
        for (int i = 0; i + 1 < n; i++)                                                                     \
            asm volatile("atom.acquire.sys.global.cas." part " %0, [%1], %2, %3;"                           \
                         : "=" letter(old[i]) : "l"(cell), letter(b[i]), letter(b[i + 1]) : "memory");      \
    }

ATOM(add_u32, u32, "r", "add.u32")
ATOM(add_s32, u32, "r", "add.s32")
ATOM(add_u64, u64, "l", "add.u64")
ATOM(min_u32, u32, "r", "min.u32")
ATOM(min_s32, u32, "r", "min.s32")
ATOM(min_u64, u64, "l", "min.u64")
ATOM(min_s64, u64, "l", "min.s64")
ATOM(max_u32, u32, "r", "max.u32")
ATOM(max_s32, u32, "r", "max.s32")
ATOM(max_u64, u64, "l", "max.u64")
ATOM(max_s64, u64, "l", "max.s64")
ATOM(and_b32, u32, "r", "and.b32")
ATOM(and_b64, u64, "l", "and.b64")
ATOM(or_b32, u32, "r", "or.b32")
ATOM(or_b64, u64, "l", "or.b64")
ATOM(xor_b32, u32, "r", "xor.b32")
ATOM(xor_b64, u64, "l", "xor.b64")
ATOM(inc_u32, u32, "r", "inc.u32")
ATOM(dec_u32, u32, "r", "dec.u32")
ANSWERED(exch_b32, u32, "r", "exch.b32")
ANSWERED(exch_b64, u64, "l", "exch.b64")
COMPARED(cas_b16, u16, "h", "b16")
COMPARED(cas_b32, u32, "r", "b32")
COMPARED(cas_b64, u64, "l", "b64")
ATOM(add_f32, float, "f", "add.f32")
ATOM(add_f64, double, "d", "add.f64")
ATOM(add_f16, u16, "h", "add.noftz.f16")
ATOM(add_bf16, u16, "h", "add.noftz.bf16")
ATOM(add_f16x2, u32, "r", "add.noftz.f16x2")
ATOM(add_bf16x2, u32, "r", "add.noftz.bf16x2")

// Vectors of sm_90.
__global__ void vectors(float* f, u16* h, u32* pairs, float* old) {
    float r[4];
    asm volatile("atom.global.v4.f32.add {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"
                 : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3]) : "l"(f), "f"(1.0f), "f"(2.0f), "f"(3.0f), "f"(4.0f) : "memory");
    for (int i = 0; i < 4; i++) old[i] = r[i];
    asm volatile("red.global.v2.f32.add [%0], {%1, %2};" ::"l"(f), "f"(10.0f), "f"(20.0f) : "memory");
    asm volatile("red.global.v4.f16.max.noftz [%0], {%1, %2, %3, %4};"
                 ::"l"(h), "h"((u16)0x3c00), "h"((u16)0x3c00), "h"((u16)0x3c00), "h"((u16)0x3c00) : "memory");
    asm volatile("red.global.v2.bf16x2.min.noftz [%0], {%1, %2};" ::"l"(pairs), "r"(0x3f803f80u), "r"(0x3f803f80u) : "memory");
}

// 128 bits at once, of sm_90.
__global__ void wide(u64* cell, u64* old) {
    asm volatile("{ .reg .b128 o, e, n; mov.b128 e, {%3, %4}; mov.b128 n, {%5, %6};"
                 " atom.global.cas.b128 o, [%2], e, n; mov.b128 {%0, %1}, o; }"
                 : "=l"(old[0]), "=l"(old[1]) : "l"(cell), "l"(cell[0]), "l"(cell[1]), "l"(77ull), "l"(88ull) : "memory");
    asm volatile("{ .reg .b128 o, n; mov.b128 n, {%3, %4}; atom.global.exch.b128 o, [%2], n; mov.b128 {%0, %1}, o; }"
                 : "=l"(old[2]), "=l"(old[3]) : "l"(cell), "l"(5ull), "l"(6ull) : "memory");
}

// Loads and stores with every operator and order.
__global__ void operators(const u32* x, u32* y) {
    u32 v, sum = 0, q[4];
#define LOAD(opcode) asm volatile(opcode " %0, [%1];" : "=r"(v) : "l"(x) : "memory"); sum += v
    LOAD("ld.global.ca.u32"); LOAD("ld.global.cg.u32"); LOAD("ld.global.cs.u32"); LOAD("ld.global.lu.u32");
    LOAD("ld.global.cv.u32"); LOAD("ld.volatile.global.u32"); LOAD("ld.relaxed.gpu.global.u32");
    LOAD("ld.acquire.sys.global.u32"); LOAD("ld.mmio.relaxed.sys.global.u32"); LOAD("ld.global.nc.u32");
    LOAD("ld.global.nc.L1::no_allocate.L2::128B.u32"); LOAD("ld.global.L1::evict_last.u32"); LOAD("ld.weak.global.u32");
    asm volatile("ld.global.v4.u32 {%0, %1, _, %2}, [%3];" : "=r"(q[0]), "=r"(q[1]), "=r"(q[3]) : "l"(x) : "memory");
    sum += q[0] + 10 * q[1] + 100 * q[3];
    asm volatile("prefetch.global.L2 [%0]; prefetchu.L1 [%0]; prefetch.global.L2::evict_last [%0];" ::"l"(x));
    asm volatile("applypriority.global.L2::evict_normal [%0], 128; fence.sc.gpu; fence.acq_rel.cta; fence.proxy.async;" ::"l"(x));
    asm volatile("pmevent 1; griddepcontrol.wait; griddepcontrol.launch_dependents;");
    u64 policy;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 0.5;" : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(v) : "l"(x), "l"(policy) : "memory");
#define STORE(opcode, at) asm volatile(opcode " [%0], %1;" ::"l"(y + at), "r"(sum + v + at) : "memory")
    STORE("st.global.wb.u32", 0); STORE("st.global.cg.u32", 1); STORE("st.global.cs.u32", 2); STORE("st.global.wt.u32", 3);
    STORE("st.volatile.global.u32", 4); STORE("st.relaxed.cta.global.u32", 5); STORE("st.release.gpu.global.u32", 6);
    STORE("st.mmio.relaxed.sys.global.u32", 7); STORE("st.global.L1::no_allocate.u32", 8);
    u32 answer;
    __shared__ u32 own;
    asm volatile("{ .reg .pred a, b, c; isspacep.global a, %1; isspacep.shared b, %2; isspacep.shared::cluster c, %2;"
                 " selp.u32 %0, 1, 0, a; @b add.u32 %0, %0, 2; @c add.u32 %0, %0, 4; }" : "=r"(answer) : "l"(x), "l"(&own));
    y[9] = answer;
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(y) : "memory");
}
