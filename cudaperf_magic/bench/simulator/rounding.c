/* Arithmetic that kernels call instead of inlining it: directed rounding of doubles, and numbers of 4, 6 and 8 bits.
 * Compiled with -frounding-math: the directed operations are the processor's own.
 */
#include <fenv.h>
#include <math.h>
#include "arith.h"

f64 rt_directed_f64(int operation, f64 a, f64 b, f64 c, int mode) {
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    volatile f64 x = a, y = b, z = c, r;
    fesetround(modes[mode & 3]);
    switch (operation) {
        case '+': r = x + y; break;
        case '-': r = x - y; break;
        case '*': r = x * y; break;
        case '/': r = x / y; break;
        case 's': r = sqrt(x); break;
        default: r = fma(x, y, z); break;
    }
    fesetround(FE_TONEAREST);
    return r;
}

/* In the order of conversion.py. `most` is the largest number; `nan` the code of NaN, or of what stands for it. */
enum { UE8M0 = 5 };
static const struct { int width, significand, bias; f64 most; u32 nan; } formats[] = {
    {8, 3, 7, 448.0, 0x7f}, {8, 2, 15, 57344.0, 0x7f}, {6, 3, 1, 7.5, 0x1f}, {6, 2, 3, 28.0, 0x1f}, {4, 1, 1, 6.0, 0x7},
};

/* Powers of two without a sign, by their exponent. */
static u32 power_code(f64 x, int mode, int finite) {
    x = fabs(x);
    if (x != x) return 0xff;
    if (isinf(x)) return finite ? 0xfe : 0xff;
    if (x <= 0x1p-127) return 0;
    int e, exact = frexp(x, &e) == 0.5;
    e += 126 + (mode == 3 && !exact);  /* frexp's fraction is below one */
    return e <= 0xfe ? (u32)e : finite ? 0xfe : 0xff;
}

u32 rt_encode(f64 x, int format, int mode, int finite) {
    if (format == UE8M0) return power_code(x, mode, finite);
    int significand = formats[format].significand, bias = formats[format].bias, e;
    if (x != x) return formats[format].nan;
    f64 r = fabs(round_to(x, significand + 1, 1 - bias, mode));
    if (r > formats[format].most) r = formats[format].most;
    u32 sign = signbit(x) ? 1u << (formats[format].width - 1) : 0;
    f64 unit = ldexp(1.0, 1 - bias - significand);
    if (r < ldexp(1.0, 1 - bias)) return sign | (u32)(r / unit);
    frexp(r, &e);
    return sign | (u32)(e - 1 + bias) << significand | ((u32)ldexp(r, significand - e + 1) & ((1u << significand) - 1));
}

f64 rt_decode(u32 code, int format) {
    if (format == UE8M0) return code == 0xff ? NAN : ldexp(1.0, (int)code - 127);
    int significand = formats[format].significand, width = formats[format].width;
    u32 magnitude = code & ((1u << (width - 1)) - 1), fraction = magnitude & ((1u << significand) - 1);
    int e = (int)(magnitude >> significand);
    if (format == 0 && magnitude == 0x7f) return NAN;
    if (format == 1 && e == 31) return fraction ? NAN : code >> 7 ? -INFINITY : INFINITY;
    f64 x = ldexp(fraction + (e ? (f64)(1 << significand) : 0.0), (e ? e : 1) - formats[format].bias - significand);
    return code >> (width - 1) & 1 ? -x : x;
}
