/* What the checked and the widened build of a person's function stand on: bounds, initialisation, budget, rounding.
   Generated code follows this text in one translation unit. CP_WIDE is 1 when floating types are one class wider. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CP_OK, CP_BOUNDS, CP_UNINITIALISED, CP_DIVISION, CP_SHIFT, CP_LIMIT, CP_MEMORY, CP_OVERFLOW, CP_CONVERSION };
enum { CP_MAX_RANK = 8, CP_READY = 1, CP_WRITTEN = 2, CP_READ_FIRST = 4 };

/* Read by the caller after a run: the first fault that ended it, and the first of each kind that did not. */
typedef struct {
    int64_t kind, line, name, rank, subscript[8], extent[8];
    int64_t overflow_line, conversion_line, steps;
} cp_report;

typedef struct {
    int64_t budget;   /* loop iterations allowed */
    int64_t noise;    /* 0: round nothing; 1: round every result to the working precision, with noise;
                         2: round every result to one precision class lower (float to TF32, double to float) */
    uint64_t seed;
    double amplitude; /* of the noise, in units in the last place */
} cp_options;

static cp_report cp;
static cp_options cp_how;
static jmp_buf cp_out;
static int64_t cp_left;
static int64_t cp_at[CP_MAX_RANK], cp_of[CP_MAX_RANK];

__attribute__((noreturn, noinline, cold)) static void cp_fault(int kind, int line, int name, int rank) {
    cp.kind = kind, cp.line = line, cp.name = name, cp.rank = rank;
    for (int i = 0; i < rank; i++) cp.subscript[i] = cp_at[i], cp.extent[i] = cp_of[i];
    longjmp(cp_out, 1);
}

/* One dimension of a subscript: the flat index so far, this subscript, this extent. */
static inline int64_t cp_sub(int line, int name, int dimension, int64_t flat, int64_t at, int64_t extent) {
    cp_at[dimension] = at, cp_of[dimension] = extent;
    if (__builtin_expect(at < 0 || at >= extent, 0)) cp_fault(CP_BOUNDS, line, name, dimension + 1);
    return flat * extent + at;
}

static inline int64_t cp_read(int line, int name, int rank, unsigned char *shadow, int64_t cell) {
    unsigned char state = shadow[cell];
    if (__builtin_expect(!(state & CP_READY), 0)) cp_fault(CP_UNINITIALISED, line, name, rank);
    if (!(state & CP_WRITTEN)) shadow[cell] = state | CP_READ_FIRST;
    return cell;
}

static inline void cp_wrote(unsigned char *shadow, int64_t cell) { shadow[cell] |= CP_READY | CP_WRITTEN; }

static inline void cp_scalar(int line, int name, int is_set) {
    if (__builtin_expect(!is_set, 0)) cp_fault(CP_UNINITIALISED, line, name, 0);
}

static inline void cp_step(int line) {
    if (__builtin_expect(--cp_left < 0, 0)) cp_fault(CP_LIMIT, line, -1, 0);
}

static void cp_overflow(int line) {
    if (!cp.overflow_line) cp.overflow_line = line;
}

#define CP_ARITHMETIC(T, NAME, LEAST)                                                                                  \
    static inline T cp_add_##NAME(int line, T a, T b) {                                                                \
        T r;                                                                                                           \
        if (__builtin_add_overflow(a, b, &r)) cp_overflow(line);                                                       \
        return r;                                                                                                      \
    }                                                                                                                  \
    static inline T cp_subtract_##NAME(int line, T a, T b) {                                                           \
        T r;                                                                                                           \
        if (__builtin_sub_overflow(a, b, &r)) cp_overflow(line);                                                       \
        return r;                                                                                                      \
    }                                                                                                                  \
    static inline T cp_multiply_##NAME(int line, T a, T b) {                                                           \
        T r;                                                                                                           \
        if (__builtin_mul_overflow(a, b, &r)) cp_overflow(line);                                                       \
        return r;                                                                                                      \
    }                                                                                                                  \
    static inline T cp_divide_##NAME(int line, T a, T b) {                                                             \
        if (__builtin_expect(b == 0, 0)) cp_fault(CP_DIVISION, line, -1, 0);                                           \
        if (__builtin_expect(a == LEAST && b == -1, 0)) { cp_overflow(line); return LEAST; }                           \
        return a / b;                                                                                                  \
    }                                                                                                                  \
    static inline T cp_remainder_##NAME(int line, T a, T b) {                                                          \
        if (__builtin_expect(b == 0, 0)) cp_fault(CP_DIVISION, line, -1, 0);                                           \
        if (__builtin_expect(a == LEAST && b == -1, 0)) { cp_overflow(line); return 0; }                               \
        return a % b;                                                                                                  \
    }
CP_ARITHMETIC(int, int, INT_MIN)
CP_ARITHMETIC(long, long, LONG_MIN)
CP_ARITHMETIC(long long, long_long, LLONG_MIN)

static inline unsigned long long cp_divisor(int line, unsigned long long b) {
    if (__builtin_expect(b == 0, 0)) cp_fault(CP_DIVISION, line, -1, 0);
    return b;
}

/* A shift count must lie inside the width of the left operand. */
static inline int cp_count(int line, long long count, int bits) {
    if (__builtin_expect(count < 0 || count >= bits, 0)) cp_fault(CP_SHIFT, line, -1, 0);
    return (int)count;
}

/* A floating value on its way to an integer type: outside the type's range C defines nothing. */
static inline long double cp_convertible(int line, long double x, long double least, long double greatest) {
    if (__builtin_expect(!(x > least - 1 && x < greatest + 1), 0)) {
        if (!cp.conversion_line) cp.conversion_line = line;
        return 0;
    }
    return x;
}

/* Local arrays live here, one slot for each declaration, so that none can exhaust the stack. */
typedef struct { void *data; unsigned char *shadow; int64_t bytes, cells; } cp_slot;

static void cp_local(cp_slot *slot, int line, int name, int64_t cells, int64_t cell_bytes) {
    if (cells < 0 || cells > ((int64_t)1 << 28)) cp_fault(CP_MEMORY, line, name, 0);
    if (cells > slot->cells || !slot->data) {
        slot->data = realloc(slot->data, (size_t)(cells * cell_bytes + 1));
        slot->shadow = realloc(slot->shadow, (size_t)(cells + 1));
        if (!slot->data || !slot->shadow) cp_fault(CP_MEMORY, line, name, 0);
        slot->cells = cells;
    }
    memset(slot->shadow, 0, (size_t)cells);
}

#if CP_WIDE
typedef double cp_float;
typedef long double cp_double;
static uint64_t cp_state;

static inline double cp_uniform(void) { /* in [-0.5, 0.5) */
    cp_state ^= cp_state << 13, cp_state ^= cp_state >> 7, cp_state ^= cp_state << 17;
    return (double)(cp_state >> 11) * 0x1p-53 - 0.5;
}

/* A result at working precision. With noise, one that is not exact there is moved by up to amplitude/2 units in the
   last place before it is rounded; an exact one stays, so that integer-exact inputs demand exact results. */
static inline double cp_lower_float(double x) {
    float narrow = (float)x;
    uint32_t bits;
    memcpy(&bits, &narrow, 4);
    if ((bits & 0x7F800000) != 0x7F800000) bits = (bits + 0x1000) & 0xFFFFE000;
    memcpy(&narrow, &bits, 4);
    return (double)narrow;
}
static inline double cp_round_float(double x) {
    if (cp_how.noise == 2) return cp_lower_float(x);
    if (!cp_how.noise || (double)(float)x == x) return x;
    return (double)(float)(x * (1.0 + cp_uniform() * cp_how.amplitude * 0x1p-23));
}
static inline long double cp_round_double(long double x) {
    if (cp_how.noise == 2) return (long double)(float)x;
    if (!cp_how.noise || (long double)(double)x == x) return x;
    return (long double)(double)(x * (1.0L + cp_uniform() * cp_how.amplitude * 0x1p-52L));
}
/* A result of an approximate library function: two units of noise even where this library's answer is exact. */
static inline double cp_approximate_float(double x) {
    if (cp_how.noise == 2) return cp_lower_float(x);
    if (!cp_how.noise) return x;
    return (double)(float)(x * (1.0 + cp_uniform() * (3.0 + cp_how.amplitude) * 0x1p-23));
}
static inline long double cp_approximate_double(long double x) {
    if (cp_how.noise == 2) return (long double)(float)x;
    if (!cp_how.noise) return x;
    return (long double)(double)(x * (1.0L + cp_uniform() * (3.0 + cp_how.amplitude) * 0x1p-52L));
}
#else
typedef float cp_float;
typedef double cp_double;
#define cp_round_float(x) ((float)(x))
#define cp_round_double(x) ((double)(x))
#define cp_approximate_float(x) ((float)(x))
#define cp_approximate_double(x) ((double)(x))
#endif
