/* Scalar operations of PTX as inline C, exact to the bit where PTX says so. Included by every generated kernel. */
#ifndef ARITH_H
#define ARITH_H
#include "sim.h"

#define INLINE static inline __attribute__((always_inline, unused))
#define RARE static __attribute__((noinline, unused))

INLINE u32 bits_f32(f32 x) { u32 v; memcpy(&v, &x, 4); return v; }
INLINE f32 f32_bits(u32 x) { f32 v; memcpy(&v, &x, 4); return v; }
/* The bits of a result of float arithmetic: every NaN is the same one. */
INLINE u32 shown_f32(u32 b) { return (b & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : b; }
INLINE u64 bits_f64(f64 x) { u64 v; memcpy(&v, &x, 8); return v; }
INLINE f64 f64_bits(u64 x) { f64 v; memcpy(&v, &x, 8); return v; }

/* ---- half and bfloat16, held as bits ---- */
RARE f32 f32_f16(u16 h) {
    u32 sign = (u32)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023;
    if (e == 31) return f32_bits(sign | 0x7f800000 | m << 13);
    if (!e) { f32 v = (f32)m * 0x1p-24f; return sign ? -v : v; }
    return f32_bits(sign | (e + 112) << 23 | m << 13);
}
/* Rounds a double to `bits` of significand with the least exponent `low`; mode 0 nearest even, 1 zero, 2 down, 3 up. */
RARE f64 round_to(f64 x, int bits, int low, int mode) {
    if (x == 0 || __builtin_isinf(x) || __builtin_isnan(x)) return x;
    int e = (int)(bits_f64(x) >> 52 & 2047) - 1023;
    if (e < low) e = low;
    f64 unit = __builtin_ldexp(1.0, e - bits + 1), q = x / unit;
    f64 r = mode == 0 ? __builtin_rint(q) : mode == 1 ? __builtin_trunc(q) : mode == 2 ? __builtin_floor(q) : __builtin_ceil(q);
    return r == 0 ? __builtin_copysign(0.0, x) : r * unit;
}
RARE u16 f16_f64(f64 x, int mode) {
    u64 b = bits_f64(x), size = b & 0x7fffffffffffffffull;
    u16 sign = (u16)(b >> 48 & 0x8000);
    if (!size) return sign;
    /* The usual case, to nearest from 2^-14 to 2^16: add half a unit, less one for a tie that is even already. */
    if (!mode && size - 0x3f10000000000000ull < 0x1e0000000000000ull) return (u16)(sign | (u16)((size + 0x1ffffffffffull + (size >> 42 & 1) >> 42) - (1008 << 10)));
    if (__builtin_isnan(x)) return 0x7fff;
    f64 r = __builtin_fabs(round_to(x, 11, -14, mode));
    if (r >= 65536.0) return (u16)(sign | (__builtin_isinf(x) || mode == 0 || (mode == 2 && sign) || (mode == 3 && !sign) ? 0x7c00 : 0x7bff));
    if (r < 0x1p-14) return (u16)(sign | (u32)(r * 0x1p24));
    b = bits_f64(r);
    return (u16)(sign | ((b >> 52 & 2047) - 1008) << 10 | (b >> 42 & 1023));
}
INLINE u16 f16_f32(f32 x) { return f16_f64(x, 0); }
INLINE f32 f32_bf16(u16 h) { return f32_bits((u32)h << 16); }
RARE u16 bf16_f64(f64 x, int mode) {
    u64 b = bits_f64(x), size = b & 0x7fffffffffffffffull;
    if (!size) return (u16)(b >> 48);
    /* As in f16_f64, from 2^-126 to 2^128. */
    if (!mode && size - 0x3810000000000000ull < 0xfe0000000000000ull) return (u16)((b >> 48 & 0x8000) | (u16)((size + 0xfffffffffffull + (size >> 45 & 1) >> 45) - (896 << 7)));
    if (__builtin_isnan(x)) return 0x7fff;
    f64 r = round_to(x, 8, -126, mode);
    if (__builtin_fabs(r) >= 0x1p128 && !__builtin_isinf(x) && !(mode == 0 || (mode == 2 && r < 0) || (mode == 3 && r > 0))) r = r < 0 ? -0x1.fep127 : 0x1.fep127;
    return (u16)(bits_f32((f32)r) >> 16);
}
INLINE u16 bf16_f32(f32 x) { return bf16_f64(x, 0); }
INLINE u32 pack16(u16 low, u16 high) { return (u32)low | (u32)high << 16; }

/* ---- floats ---- */
INLINE f32 min_f32(f32 a, f32 b) { return a != a ? (b != b ? f32_bits(0x7fffffff) : b) : b != b ? a : a < b ? a : b < a ? b : f32_bits(bits_f32(a) | bits_f32(b)); }
INLINE f32 max_f32(f32 a, f32 b) { return a != a ? (b != b ? f32_bits(0x7fffffff) : b) : b != b ? a : a > b ? a : b > a ? b : f32_bits(bits_f32(a) & bits_f32(b)); }
INLINE f64 min_f64(f64 a, f64 b) { return a != a ? b : b != b ? a : a < b ? a : b < a ? b : f64_bits(bits_f64(a) | bits_f64(b)); }
INLINE f64 max_f64(f64 a, f64 b) { return a != a ? b : b != b ? a : a > b ? a : b > a ? b : f64_bits(bits_f64(a) & bits_f64(b)); }
INLINE f32 nan_min_f32(f32 a, f32 b) { return a != a || b != b ? f32_bits(0x7fffffff) : min_f32(a, b); }
INLINE f32 nan_max_f32(f32 a, f32 b) { return a != a || b != b ? f32_bits(0x7fffffff) : max_f32(a, b); }
INLINE f32 ftz_f32(f32 x) { return (bits_f32(x) & 0x7f800000) ? x : f32_bits(bits_f32(x) & 0x80000000); }
INLINE f64 nan_min_f64(f64 a, f64 b) { return a != a || b != b ? __builtin_nan("") : min_f64(a, b); }
INLINE f64 nan_max_f64(f64 a, f64 b) { return a != a || b != b ? __builtin_nan("") : max_f64(a, b); }
INLINE u16 ftz_f16(u16 x) { return x & 0x7c00 ? x : x & 0x8000; }
INLINE u16 ftz_bf16(u16 x) { return x & 0x7f80 ? x : x & 0x8000; }
INLINE f32 sat_f32(f32 x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
INLINE f64 sat_f64(f64 x) { return x > 0 ? (x < 1 ? x : 1.0) : 0.0; }
/* Negative numbers become zero, NaN stays. */
INLINE f32 relu_f32(f32 x) { return x <= 0 ? 0.0f : x; }
INLINE f64 relu_f64(f64 x) { return x <= 0 ? 0.0 : x; }
INLINE f32 xorsign_f32(f32 x, f32 a, f32 b) { return f32_bits((bits_f32(x) & 0x7fffffff) | ((bits_f32(a) ^ bits_f32(b)) & 0x80000000)); }
INLINE f64 xorsign_f64(f64 x, f64 a, f64 b) { return __builtin_copysign(x, __builtin_signbit(a) != __builtin_signbit(b) ? -1.0 : 1.0); }
/* The upper word of a double, subnormals flushed: all that rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 see and give. */
INLINE f64 high_f64(f64 x) { u64 b = bits_f64(x); return f64_bits(b & ((b >> 52 & 2047) ? 0xffffffff00000000ull : 0x8000000000000000ull)); }
/* The divisor's reciprocal underflows beyond 2^126, which the approximate division does not mend. */
INLINE f32 div_approx(f32 a, f32 b) { f32 c = __builtin_fabsf(b); return c > 0x1p126f && c < __builtin_inff() ? a * __builtin_copysignf(0.0f, b) : a / b; }
INLINE f64 sin_turns(f64 x) { return __builtin_sin((x - __builtin_rint(x)) * 6.283185307179586); }
INLINE f64 cos_turns(f64 x) { return __builtin_cos((x - __builtin_rint(x)) * 6.283185307179586); }
INLINE u16 finite_f16(u16 x) { return (x & 0x7fff) == 0x7c00 ? x - 1 : x; }
INLINE u16 finite_bf16(u16 x) { return (x & 0x7fff) == 0x7f80 ? x - 1 : x; }
/* Rounding modes 0 nearest even, 1 zero, 2 nearest, ties away. */
RARE u32 tf32_f32(f32 x, int mode, int finite) {
    u32 b = bits_f32(x);
    if (x != x) return 0x7fffffff;
    if ((b & 0x7fffffff) != 0x7f800000) b = (b + (mode == 0 ? 0xfff + (b >> 13 & 1) : mode == 2 ? 0x1000 : 0)) & 0xffffe000;
    return finite && (b & 0x7fffffff) == 0x7f800000 ? b - 0x2000 : b;
}
/* a * b + c of halves or bfloat16, whose product is exact, rounded to odd: a second rounding then changes nothing. */
RARE f64 fma_odd(f64 a, f64 b, f64 c) {
    f64 p = a * b, s = p + c, t = s - p, e = (p - (s - t)) + (c - t);
    if (!(e < 0 || e > 0) || __builtin_isinf(s)) return s;
    return f64_bits((bits_f64(s) - ((e > 0) != (s > 0))) | 1);
}

/* The exact value is s + e, with s the nearest double; gives the float on the wanted side (mode as in round_to). */
RARE f32 f32_directed(f64 s, f64 e, int mode) {
    f32 f = (f32)s;
    if (__builtin_isnan(s) || (__builtin_isinf(s))) return f;
    int above = (f64)f > s || ((f64)f == s && e < 0), below = (f64)f < s || ((f64)f == s && e > 0);
    if (mode == 1) mode = s > 0 || (s == 0 && e > 0) ? 2 : 3;
    if (mode == 2 && above) return __builtin_nextafterf(f, -__builtin_inff());
    if (mode == 3 && below) return __builtin_nextafterf(f, __builtin_inff());
    return f;
}
RARE f32 fma_directed(f32 a, f32 b, f32 c, int mode) {
    f64 p = (f64)a * b, s = p + c, t = s - p, e = (p - (s - t)) + (c - t);
    if (s == 0 && e == 0 && mode == 2 && !(p == 0 && c == 0 && !__builtin_signbit(p) && !__builtin_signbit((f64)c))) return p == 0 && c == 0 && __builtin_signbit(p) == __builtin_signbit((f64)c) ? (f32)s : -0.0f;
    return f32_directed(s, e, mode);
}
RARE f32 mul_directed(f32 a, f32 b, int mode) { return f32_directed((f64)a * b, 0, mode); }
RARE f32 add_directed(f32 a, f32 b, int mode) { return fma_directed(a, 1.0f, b, mode); }
RARE f32 div_directed(f32 a, f32 b, int mode) {
    f64 q = (f64)a / b;
    return f32_directed(q, __builtin_isfinite(q) && b != 0 ? __builtin_copysign(1.0, b) * __builtin_fma(-q, (f64)b, (f64)a) : 0, mode);
}
RARE f32 sqrt_directed(f32 a, int mode) {
    f64 q = __builtin_sqrt((f64)a);
    return f32_directed(q, __builtin_isfinite(q) ? __builtin_fma(-q, q, (f64)a) : 0, mode);
}
INLINE f32 copysign_f32(f32 sign, f32 x) { return __builtin_copysignf(x, sign); }
INLINE f64 copysign_f64(f64 sign, f64 x) { return __builtin_copysign(x, sign); }

/* Float to integer: NaN gives what the caller says, what does not fit gives the nearest limit. The value is already a whole number. */
#define TO_INT(name, type, low, high) INLINE type name(f64 x, type nan) { return x != x ? nan : x <= (low) ? (type)(low) : x >= (high) ? (type)((type)-1 > 0 ? (type)-1 : (type)~((type)1 << (8 * sizeof(type) - 1))) : (type)x; }
TO_INT(s8_real, s8, -128.0, 127.0) TO_INT(u8_real, u8, 0.0, 255.0)
TO_INT(s16_real, s16, -32768.0, 32767.0) TO_INT(u16_real, u16, 0.0, 65535.0)
TO_INT(s32_real, s32, -2147483648.0, 2147483647.0) TO_INT(u32_real, u32, 0.0, 4294967295.0)
TO_INT(s64_real, s64, -9223372036854775808.0, 9223372036854775808.0) TO_INT(u64_real, u64, 0.0, 18446744073709551616.0)
/* Integer to float with a directed rounding. */
RARE f32 f32_int(__int128 x, int mode) {
    f32 f = (f32)x;
    __int128 back = f >= 0x1p126f ? ((__int128)1 << 126) : (__int128)f;
    if (mode == 1) mode = x >= 0 ? 2 : 3;
    if (mode == 2 && back > x) return __builtin_nextafterf(f, -__builtin_inff());
    if (mode == 3 && back < x) return __builtin_nextafterf(f, __builtin_inff());
    return f;
}
RARE f64 f64_int(__int128 x, int mode) {
    f64 f = (f64)x;
    __int128 back = (__int128)f;
    if (mode == 1) mode = x >= 0 ? 2 : 3;
    if (mode == 2 && back > x) return __builtin_nextafter(f, -__builtin_inf());
    if (mode == 3 && back < x) return __builtin_nextafter(f, __builtin_inf());
    return f;
}

/* A 64-bit integer as a double, rounded to odd. */
RARE f64 odd_f64(__int128 x) {
    int negative = x < 0;
    u128 v = negative ? -(u128)x : (u128)x;
    if (v >> 52) v = (v >> 12 << 12) | ((u128)((v & 4095) != 0) << 12);
    return negative ? -(f64)v : (f64)v;
}

/* ---- integers ---- */
INLINE __int128 clamped(__int128 x, __int128 low, __int128 high) { return x < low ? low : x > high ? high : x; }
INLINE s64 clamped64(s64 x, s64 low, s64 high) { return x < low ? low : x > high ? high : x; }
INLINE s32 s32_clamped(s64 x) { return (s32)clamped64(x, -2147483648ll, 2147483647ll); }
INLINE u32 u32_clamped(s64 x) { return (u32)clamped64(x, 0, 4294967295ll); }
INLINE s16 s16_clamped(s64 x) { return (s16)clamped64(x, -32768, 32767); }
INLINE u16 u16_clamped(s64 x) { return (u16)clamped64(x, 0, 65535); }
INLINE s8 s8_clamped(s64 x) { return (s8)clamped64(x, -128, 127); }
INLINE u8 u8_clamped(s64 x) { return (u8)clamped64(x, 0, 255); }
INLINE s32 div_s32(s32 a, s32 b) { return b == 0 ? -1 : b == -1 ? (s32)(0u - (u32)a) : a / b; }
INLINE u32 div_u32(u32 a, u32 b) { return b == 0 ? ~0u : a / b; }
INLINE s64 div_s64(s64 a, s64 b) { return b == 0 ? -1 : b == -1 ? (s64)(0ull - (u64)a) : a / b; }
INLINE u64 div_u64(u64 a, u64 b) { return b == 0 ? ~0ull : a / b; }
INLINE s16 div_s16(s16 a, s16 b) { return (s16)div_s32(a, b); }
INLINE u16 div_u16(u16 a, u16 b) { return (u16)div_u32(a, b); }
INLINE s32 rem_s32(s32 a, s32 b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
INLINE u32 rem_u32(u32 a, u32 b) { return b == 0 ? a : a % b; }
INLINE s64 rem_s64(s64 a, s64 b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
INLINE u64 rem_u64(u64 a, u64 b) { return b == 0 ? a : a % b; }
INLINE s16 rem_s16(s16 a, s16 b) { return (s16)rem_s32(a, b); }
INLINE u16 rem_u16(u16 a, u16 b) { return (u16)rem_u32(a, b); }
INLINE u32 brev32(u32 x) {
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1; x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4; return __builtin_bswap32(x);
}
INLINE u64 brev64(u64 x) { return (u64)brev32((u32)x) << 32 | brev32((u32)(x >> 32)); }
INLINE u32 clz32(u32 x) { return x ? (u32)__builtin_clz(x) : 32; }
INLINE u32 clz64(u64 x) { return x ? (u32)__builtin_clzll(x) : 64; }
INLINE u32 bfind(u64 x, u32 width, u32 is_signed, u32 shift) {
    if (is_signed && x >> (width - 1) & 1) x = ~x;
    if (width == 32) x &= 0xffffffffull;
    if (!x) return ~0u;
    u32 at = 63 - (u32)__builtin_clzll(x);
    return shift ? width - 1 - at : at;
}
INLINE u64 bfe(u64 a, u32 b, u32 c, u32 width, u32 is_signed) {
    u32 pos = b & 255, len = c & 255;
    if (!len) return 0;
    u32 top = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
    u64 sign = is_signed ? a >> top & 1 : 0, value = pos < width ? a >> pos : 0;
    u32 have = pos < width ? (len < width - pos ? len : width - pos) : 0;
    if (have < 64) value &= (1ull << have) - 1;
    return sign && have < 64 ? value | ~0ull << have : value;
}
INLINE u64 bfi(u64 a, u64 b, u32 c, u32 d, u32 width) {
    u32 pos = c & 255, len = d & 255;
    if (pos >= width || !len) return b;
    if (len > width - pos) len = width - pos;
    u64 mask = (len >= 64 ? ~0ull : (1ull << len) - 1) << pos;
    return (b & ~mask) | (a << pos & mask);
}
INLINE u32 lop3(u32 a, u32 b, u32 c, u32 lut) {
    u32 r = 0;
    if (lut & 1) r |= ~a & ~b & ~c;
    if (lut & 2) r |= ~a & ~b & c;
    if (lut & 4) r |= ~a & b & ~c;
    if (lut & 8) r |= ~a & b & c;
    if (lut & 16) r |= a & ~b & ~c;
    if (lut & 32) r |= a & ~b & c;
    if (lut & 64) r |= a & b & ~c;
    if (lut & 128) r |= a & b & c;
    return r;
}
INLINE u32 prmt(u32 a, u32 b, u32 selector) {
    u64 bytes = a | (u64)b << 32;
    u32 r = 0;
    for (u32 i = 0; i < 4; i++) {
        u32 s = selector >> 4 * i & 15, byte = (u32)(bytes >> 8 * (s & 7)) & 255;
        if (s & 8) byte = byte & 128 ? 255 : 0;
        r |= byte << 8 * i;
    }
    return r;
}
/* The selector that a mode of prmt stands for: 1 f4e, 2 b4e, 3 rc8, 4 ecl, 5 ecr, 6 rc16. */
RARE u32 prmt_selector(u32 way, u32 n) {
    u32 r = 0;
    n &= 3;
    for (u32 i = 0; i < 4; i++) {
        u32 s = way == 1 ? n + i : way == 2 ? n - i : way == 3 ? n : way == 4 ? (i > n ? i : n) : way == 5 ? (i < n ? i : n) : (n & 1) * 2 + (i & 1);
        r |= (s & 7) << 4 * i;
    }
    return r;
}
/* The position of the n-th set bit from `base` upwards, downwards if n is negative. */
RARE u32 fns(u32 mask, u32 base, u32 offset) {
    s32 n = (s32)offset, step = n > 0 ? 1 : -1, left = n > 0 ? n : -n;
    if (!n) return base < 32 && mask >> base & 1 ? base : ~0u;
    for (s64 at = base; at >= 0 && at < 32; at += step) if (mask >> at & 1 && --left == 0) return (u32)at;
    return ~0u;
}
INLINE u32 bmsk(u32 a, u32 b, u32 clamp) {
    u32 start = a & 31, size = b & 31, low = clamp && a > 31 ? 0 : ~0u << start;
    u32 high = start + size > 31 || (clamp && (a > 31 || b > 31)) ? 0 : size ? ~0u << (start + size) : ~0u;
    return low & ~high;
}
INLINE u32 szext(u32 a, u32 b, u32 clamp, u32 is_signed) {
    u32 n = b & 31, all = clamp && b > 31, mask = all ? 0 : ~0u << n;
    return (a & ~mask) | (is_signed && n && !all && a >> (n - 1) & 1 ? mask : 0);
}
INLINE u32 shf_l(u32 a, u32 b, u32 n) { u64 v = (u64)b << 32 | a; return n >= 32 ? a : (u32)(v << n >> 32); }
INLINE u32 shf_r(u32 a, u32 b, u32 n) { u64 v = (u64)b << 32 | a; return n >= 32 ? b : (u32)(v >> n); }
INLINE u32 dp4a(u32 a, u32 b, u32 c, u32 sa, u32 sb) {
    for (u32 i = 0; i < 32; i += 8) c += (u32)((sa ? (s32)(s8)(a >> i) : (s32)(u8)(a >> i)) * (sb ? (s32)(s8)(b >> i) : (s32)(u8)(b >> i)));
    return c;
}
INLINE u32 dp2a(u32 a, u32 b, u32 c, u32 sa, u32 sb, u32 high) {
    for (u32 i = 0; i < 2; i++) c += (u32)((sa ? (s32)(s16)(a >> 16 * i) : (s32)(u16)(a >> 16 * i)) * (sb ? (s32)(s8)(b >> 8 * (i + 2 * high)) : (s32)(u8)(b >> 8 * (i + 2 * high))));
    return c;
}
/* rounding.c: what is too large to be inlined. */
extern f64 rt_directed_f64(int operation, f64 a, f64 b, f64 c, int mode);
extern u32 rt_encode(f64 x, int format, int mode, int finite);
extern f64 rt_decode(u32 code, int format);
#endif
