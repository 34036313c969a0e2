/* The distance of floating outputs to the reference, in one pass over memory. compare.py says what is right and why;
   compare_c.py calls this, slice by slice. Written once for float (its reference in double) and once for double. */
#include <math.h>
#include <stdint.h>

enum { BLOCK = 1024, LANES = 16 };

typedef struct {
    double multiple, floor, extra, noisy, half_digits; /* allowed: see `CP_ALLOWED` */
    double outlier;   /* a spread above it belongs to a branch that rounding decides */
    double brink;     /* past it, one rounding more or less decides whether it overflows */
    int64_t shift;    /* the spread of element i is spread[i >> shift] */
    double excused;   /* an element off by at most this is counted apart: rounding may have decided it */
} cp_yardstick;

typedef struct {
    int64_t wrong, first_wrong, excused, first_excused, usual;
    double largest, root; /* of the distances: the greatest, and the root of the sum of squares over usual elements */
} cp_found;

/* What the runs of the reference show of one slice. */
typedef struct {
    int64_t torn, varying, count;
    double torn_most, root, magnitude_root; /* roots of sums of squares: of the distances, of the magnitudes */
} cp_spread_found;

#define CP_COMPARE(NAME, T, W)                                                                                         \
    static inline W cp_allowed_##NAME(const cp_yardstick *y, W magnitude, W spread) {                                  \
        W more = spread > y->half_digits * magnitude ? y->noisy * spread : 0;                                          \
        return y->multiple * spread + y->floor * magnitude + y->extra + more;                                          \
    }                                                                                                                  \
    /* The block again, element by element: something in it is wrong, or not finite. */                                \
    static void cp_slow_##NAME(const T *plain, const W *wide, const T *got, const double *spread,                      \
                               const uint8_t *varies, int64_t from, int64_t to, const cp_yardstick *y, cp_found *f,    \
                               W *sum) {                                                                               \
        for (int64_t i = from; i < to; i++) {                                                                          \
            if (varies && varies[i]) continue;                                                                         \
            T p = plain[i], g = got[i];                                                                                \
            if (isfinite(p) && isfinite(wide[i]) && isfinite(g)) {                                                     \
                double s = spread[i >> y->shift];                                                                      \
                W d = (W)g - wide[i], m = wide[i] < 0 ? -wide[i] : wide[i];                                            \
                d = d < 0 ? -d : d;                                                                                    \
                if (d > f->largest) f->largest = (double)d;                                                            \
                if (!(s > y->outlier) && g != p && !(d <= y->excused && d > cp_allowed_##NAME(y, m, s))) {             \
                    *sum += d * d, f->usual++;                                                                         \
                }                                                                                                      \
                if (d <= cp_allowed_##NAME(y, m, s) || g == p) continue;                                               \
                if (d <= y->excused) {                                                                                 \
                    if (!f->excused++) f->first_excused = i;                                                           \
                    continue;                                                                                          \
                }                                                                                                      \
            } else if ((isnan(p) && isnan(g)) || (isinf(p) && p == g)) {                                               \
                continue;                                                                                              \
            } else if (isfinite(p) && fabs((double)p) > y->brink && isinf(g) && (p < 0) == (g < 0)) {                  \
                continue;                                                                                              \
            }                                                                                                          \
            if (!f->wrong++) f->first_wrong = i;                                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    void cp_compare_##NAME(const T *restrict plain, const W *restrict wide, const T *restrict got,                     \
                           const double *restrict spread, const uint8_t *varies, int64_t from, int64_t to,             \
                           const cp_yardstick *y, cp_found *f) {                                                       \
        W sum = 0;                                                                                                     \
        for (int64_t start = from; start < to; start += BLOCK) {                                                       \
            int64_t end = start + BLOCK < to ? start + BLOCK : to, i = start;                                          \
            W most[LANES] = {0}, squares[LANES] = {0};                                                                 \
            int bad[LANES] = {0}, usual[LANES] = {0};                                                                  \
            double same[BLOCK];                                                                                        \
            const double *row = y->shift ? same : spread + start;                                                      \
            for (int k = 0; y->shift && k < BLOCK; k++) same[k] = spread[start >> y->shift];                           \
            for (; i + LANES <= end && !varies; i += LANES)                                                            \
                for (int k = 0; k < LANES; k++) {                                                                      \
                    W s = row[i - start + k], w = wide[i + k];                                                         \
                    W d = (W)got[i + k] - w, m = w < 0 ? -w : w;                                                       \
                    d = d < 0 ? -d : d;                                                                                \
                    W more = s > y->half_digits * m ? y->noisy * s : 0;                                                \
                    bad[k] |= !(d <= y->multiple * s + y->floor * m + y->extra + more);                                \
                    most[k] = d > most[k] ? d : most[k];                                                               \
                    squares[k] += s > y->outlier ? 0 : d * d;                                                          \
                    usual[k] += !(s > y->outlier);                                                                     \
                }                                                                                                      \
            int is_bad = 0, seen = 0;                                                                                  \
            W part = 0, peak = 0;                                                                                      \
            for (int k = 0; k < LANES; k++)                                                                            \
                is_bad |= bad[k], seen += usual[k], part += squares[k], peak = most[k] > peak ? most[k] : peak;        \
            if (is_bad) {                                                                                              \
                i = start;                                                                                             \
            } else {                                                                                                   \
                sum += part, f->usual += seen;                                                                         \
                if (peak > f->largest) f->largest = (double)peak;                                                      \
            }                                                                                                          \
            cp_slow_##NAME(plain, wide, got, spread, varies, i, end, y, f, &sum);                                      \
        }                                                                                                              \
        f->root = (double)sqrtl((long double)sum);                                                                     \
    }                                                                                                                  \
    /* How far the runs lie apart: the most of each run of 1,024 neighbours, without what exceeds `limit`. Of the C as \
       written no more counts than `clip` times what the loose one does: past that it has lost its way. */             \
    void cp_spread_##NAME(const T *plain, const W *wide, const T *loose, int64_t from, int64_t to, double limit,       \
                          double clip, double least, double *spread, int64_t *varying, int64_t room,                   \
                          cp_spread_found *f) {                                                                        \
        W sum = 0, magnitudes = 0;                                                                                     \
        for (int64_t start = from; start < to; start += BLOCK) {                                                       \
            int64_t end = start + BLOCK < to ? start + BLOCK : to;                                                     \
            W most = 0, own = 0;                                                                                       \
            for (int64_t i = start; i < end; i++) {                                                                    \
                W a = plain[i] - wide[i], b = loose[i] - wide[i];                                                      \
                a = a < 0 ? -a : a, b = b < 0 ? -b : b;                                                                \
                if (!(a + b <= 1.7e308)) { /* one of them is not finite */                                             \
                    int same = (isnan(plain[i]) && isnan(wide[i]) && isnan(loose[i])) ||                               \
                               (isinf(plain[i]) && (W)plain[i] == wide[i] && plain[i] == loose[i]);                    \
                    if (same) continue;                                                                                \
                    if (f->varying < room) varying[f->varying] = i;                                                    \
                    f->varying++;                                                                                      \
                    continue;                                                                                          \
                }                                                                                                      \
                magnitudes += wide[i] * wide[i], f->count++;                                                           \
                W d = a > b ? a : b;                                                                                   \
                if (d > limit) {                                                                                       \
                    f->torn++;                                                                                         \
                    if (d > f->torn_most) f->torn_most = (double)d;                                                    \
                    continue;                                                                                          \
                }                                                                                                      \
                W e = a < clip * least ? a : (W)(clip * least);                                                        \
                e = b > e ? b : e;                                                                                     \
                sum += e * e;                                                                                          \
                most = b > most ? b : most, own = a > own ? a : own;                                                   \
            }                                                                                                          \
            W bound = clip * (most > least ? most : least);                                                            \
            own = own < bound ? own : bound;                                                                           \
            spread[start / BLOCK] = (double)(own > most ? own : most);                                                 \
        }                                                                                                              \
        f->root = (double)sqrtl((long double)sum);                                                                     \
        f->magnitude_root = (double)sqrtl((long double)magnitudes);                                                    \
    }

CP_COMPARE(float, float, double)
CP_COMPARE(double, double, long double)
