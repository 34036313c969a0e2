/* Double-precision arithmetic in a directed rounding mode, by the processor's own. Compiled with -frounding-math. */
#include <fenv.h>
#include <math.h>
#include "sim.h"

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
