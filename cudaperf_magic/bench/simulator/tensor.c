/* Products of small matrices that a warp holds in its registers, as mma and wmma compute them. It touches no memory.
 *
 * Products of f16, bf16, tf32 and 8-bit floats are exact, their sum with the accumulator is formed in double and
 * rounded once to the result's type, to nearest even. The hardware aligns and truncates the addends instead, so floats
 * agree within k * 2^-22 of the largest one. Doubles are a chain of fused multiply-adds, integers are exact.
 */
#include "sim.h"
#include "arith.h"
#include "faults.h"
#include "warp.h"

/* In the order of tensor.py. */
enum { KIND_F16, KIND_BF16, KIND_TF32, KIND_E4M3, KIND_E5M2, KIND_F32, KIND_F64, KIND_S8, KIND_U8, KIND_S4, KIND_U4, KIND_B1, KIND_S32 };
enum { MMA_SATURATES = 1, MMA_IS_OPAQUE = 2, MMA_AND = 4 };
static const u8 kind_bits[] = {16, 16, 32, 8, 8, 32, 64, 8, 8, 4, 4, 1, 32};
f64 rt_directed_f64(int operation, f64 a, f64 b, f64 c, int mode);
enum { MOST = 32 * 256 };  /* elements of the largest matrix */

/* All lanes take part in a matrix instruction; a warp that was started with fewer has no such lanes. */
void rt_whole_warp(Warp *w, u32 site) {
    if (w->exists != ~0u) rt_fault(w, FAULT_MISSING_LANE, site, 0, __builtin_ctz(~w->exists), ~0u);
}

static u64 element(const u32 *words, u32 at, u32 bits) {
    if (bits == 64) return words[2 * at] | (u64)words[2 * at + 1] << 32;
    u32 word = words[at * bits / 32];
    return bits == 32 ? word : word >> at * bits % 32 & ((1u << bits) - 1);
}

static void set_element(u32 *words, u32 at, u32 bits, u64 value) {
    if (bits == 64) { words[2 * at] = (u32)value; words[2 * at + 1] = (u32)(value >> 32); return; }
    u32 shift = at * bits % 32, field = bits == 32 ? ~0u : ((1u << bits) - 1) << shift;
    u32 *word = &words[at * bits / 32];
    *word = (*word & ~field) | ((u32)value << shift & field);
}

/* ---- which element of a matrix a register holds ---- */

/* Our own layout of wmma's fragments, which PTX leaves open: row-major, lane by lane, again from the start at the end. */
static u32 opaque(u32 lane, u32 at, u32 each, u32 total) { return (lane * each + at) % total; }

/* Row and column of element `at` of a lane; `each` elements share a 32-bit register. PTX ISA, "Matrix Fragments". */
static u32 place_a(u32 lane, u32 at, u32 each, u32 m, u32 k) {
    u32 reg = at / each, part = at % each, block = m == 16 ? reg >> 1 : reg;
    u32 row = lane / 4 + (m == 16 ? 8 * (reg & 1) : 0), column = (lane % 4 + 4 * block) * each + part;
    return row * k + column;
}

static u32 place_b(u32 lane, u32 at, u32 each, u32 n) {
    return ((lane % 4 + 4 * (at / each)) * each + at % each) * n + lane / 4;
}

static u32 place_c(u32 lane, u32 at, u32 n) { return (lane / 4 + 8 * (at >> 1)) * n + lane % 4 * 2 + (at & 1); }

typedef struct { u32 kind, rows, columns, count; } Matrix;  /* `count` elements a lane */

static u32 place(const Matrix *x, char role, u32 lane, u32 at, u32 is_opaque) {
    u32 each = kind_bits[x->kind] < 32 ? 32 / kind_bits[x->kind] : 1;
    if (is_opaque) return opaque(lane, at, x->count, x->rows * x->columns);
    if (role == 'a') return place_a(lane, at, each, x->rows, x->columns);
    return role == 'b' ? place_b(lane, at, each, x->columns) : place_c(lane, at, x->columns);
}

/* ---- values ---- */

static f64 eight_bits(u32 v, u32 is_e5m2) {
    if (is_e5m2) return f32_f16((u16)(v << 8));
    u32 e = v >> 3 & 15, m = v & 7;
    if ((v & 127) == 127) return __builtin_nan("");
    f64 r = e ? __builtin_ldexp(1.0 + m / 8.0, (int)e - 7) : __builtin_ldexp(m / 8.0, -6);
    return v & 128 ? -r : r;
}

static f64 real_of(u64 v, u32 kind) {
    switch (kind) {
        case KIND_F16: return f32_f16((u16)v);
        case KIND_BF16: return f32_bf16((u16)v);
        case KIND_TF32: return f32_bits((u32)v & ~0x1fffu);
        case KIND_F32: return f32_bits((u32)v);
        case KIND_F64: return f64_bits(v);
        default: return eight_bits((u32)v, kind == KIND_E5M2);
    }
}

static s32 whole_of(u64 v, u32 kind) {
    switch (kind) {
        case KIND_S8: return (s8)v;
        case KIND_S4: return (s32)((u32)v << 28) >> 28;
        default: return (s32)(u32)v;
    }
}

static u64 bits_of(f64 x, u32 kind) {
    if (kind == KIND_F64) return bits_f64(x);
    if (x != x) return kind == KIND_F16 ? 0x7fff : 0x7fffffff;
    return kind == KIND_F16 ? f16_f64(x, 0) : bits_f32((f32)x);
}

/* ---- products ---- */

static void spread_reals(f64 *to, const u32 *from, const Matrix *x, char role, u32 is_opaque) {
    u32 bits = kind_bits[x->kind], words = x->count * bits / 32;
    for (u32 lane = 0; lane < 32; lane++)
        for (u32 i = 0; i < x->count; i++) to[place(x, role, lane, i, is_opaque)] = real_of(element(from + lane * words, i, bits), x->kind);
}

static void spread_wholes(s32 *to, const u32 *from, const Matrix *x, char role, u32 is_opaque) {
    u32 bits = kind_bits[x->kind], words = x->count * bits / 32;
    for (u32 lane = 0; lane < 32; lane++)
        for (u32 i = 0; i < x->count; i++) to[place(x, role, lane, i, is_opaque)] = whole_of(element(from + lane * words, i, bits), x->kind);
}

static void real_product(const Matrix *x, const u32 *a, const u32 *b, const u32 *c, u32 *d, u32 flags, u32 mode) {
    static _Thread_local f64 room[3 * MOST];
    f64 *left = room, *right = left + MOST, *sums = right + MOST;
    u32 is_opaque = flags & MMA_IS_OPAQUE, n = x[1].columns, k = x[0].columns, bits = kind_bits[x[3].kind], words = x[3].count * bits / 32;
    spread_reals(left, a, &x[0], 'a', is_opaque);
    spread_reals(right, b, &x[1], 'b', is_opaque);
    spread_reals(sums, c, &x[2], 'c', is_opaque);
    for (u32 i = 0; i < x[0].rows; i++)
        for (u32 p = 0; p < k; p++) {  /* each sum in the order of k */
            f64 factor = left[i * k + p], *row = sums + i * n;
            const f64 *other = right + p * n;
            if (x[3].kind != KIND_F64) for (u32 j = 0; j < n; j++) row[j] += factor * other[j];
            else if (!mode) for (u32 j = 0; j < n; j++) row[j] = __builtin_fma(factor, other[j], row[j]);
            else for (u32 j = 0; j < n; j++) row[j] = rt_directed_f64('f', factor, other[j], row[j], (int)mode);
        }
    for (u32 lane = 0; lane < 32; lane++)
        for (u32 i = 0; i < x[3].count; i++)
            set_element(d + lane * words, i, bits, bits_of(sums[place(&x[3], 'c', lane, i, is_opaque)], x[3].kind));
}

static s32 term(s32 a, s32 b, u32 kind, u32 flags) {
    return kind != KIND_B1 ? a * b : flags & MMA_AND ? a & b : a ^ b;
}

static void whole_product(const Matrix *x, const u32 *a, const u32 *b, const u32 *c, u32 *d, u32 flags) {
    static _Thread_local s32 room[3 * MOST];
    s32 *left = room, *right = left + MOST, *sums = right + MOST;
    u32 is_opaque = flags & MMA_IS_OPAQUE, n = x[1].columns, k = x[0].columns;
    spread_wholes(left, a, &x[0], 'a', is_opaque);
    spread_wholes(right, b, &x[1], 'b', is_opaque);
    spread_wholes(sums, c, &x[2], 'c', is_opaque);
    for (u32 i = 0; i < x[0].rows; i++)
        for (u32 j = 0; j < n; j++) {
            s64 sum = sums[i * n + j];
            for (u32 p = 0; p < k; p++) sum += term(left[i * k + p], right[p * n + j], x[0].kind, flags);
            if (flags & MMA_SATURATES) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            sums[i * n + j] = (s32)(u32)sum;
        }
    for (u32 lane = 0; lane < 32; lane++)
        for (u32 i = 0; i < x[3].count; i++) d[lane * x[3].count + i] = (u32)sums[place(&x[3], 'c', lane, i, is_opaque)];
}

static u32 count_of(u32 words, u32 kind) { return words * 32 / kind_bits[kind]; }

/* d = a * b + c. Kinds and 32-bit words a lane come for a, b, c and d; registers as [lane][word]. */
void rt_mma(const u8 kinds[4], const u8 words[4], const u16 mnk[3], u32 flags, u32 mode, const u32 *a, const u32 *b, const u32 *c, u32 *d) {
    Matrix x[4] = {{kinds[0], mnk[0], mnk[2], count_of(words[0], kinds[0])}, {kinds[1], mnk[2], mnk[1], count_of(words[1], kinds[1])},
                   {kinds[2], mnk[0], mnk[1], count_of(words[2], kinds[2])}, {kinds[3], mnk[0], mnk[1], count_of(words[3], kinds[3])}};
    if (kinds[3] == KIND_S32) whole_product(x, a, b, c, d, flags);
    else real_product(x, a, b, c, d, flags, mode);
}

/* Between a wmma fragment, [lane][word], and the matrix as it lies in memory without its stride. */
void rt_fragment(u32 *fragment, u8 *tile, u32 words, u32 bits, u32 rows, u32 columns, u32 is_by_column, u32 is_store) {
    u32 each = words * 32 / bits, total = rows * columns;
    for (u32 lane = 0; lane < 32; lane++)
        for (u32 i = 0; i < each; i++) {
            u32 at = opaque(lane, i, each, total), row = at / columns, column = at % columns;
            u32 there = is_by_column ? column * rows + row : at;
            if (is_store) set_element((u32 *)tile, there, bits, element(fragment + lane * words, i, bits));
            else set_element(fragment + lane * words, i, bits, element((u32 *)tile, there, bits));
        }
}
