/* What the fast builds of a person's function stand on: the same text as the checked build, with nothing watched.
   Generated code follows this text in one translation unit. CP_WIDE is 1 when floating types are one class wider,
   CP_LOOSE when the compiler may re-order and fuse, and library functions may be another library's.
   Integers wrap around (-fwrapv); that nothing else goes wrong was seen at small sizes of the same proportions. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int cp_threads; /* how many a parallel loop may use */

#define cp_sub(line, name, dimension, flat, at, extent) ((flat) * (extent) + (at))
#define cp_divisor(line, b) (b)
#define cp_count(line, count, bits) (count)
#define cp_convertible(line, x, least, greatest) (x)
#define cp_step(line) ((void)0)

#define cp_add_int(line, a, b) ((a) + (b))
#define cp_subtract_int(line, a, b) ((a) - (b))
#define cp_multiply_int(line, a, b) ((a) * (b))
#define cp_divide_int(line, a, b) ((a) / (b))
#define cp_remainder_int(line, a, b) ((a) % (b))
#define cp_add_long cp_add_int
#define cp_subtract_long cp_subtract_int
#define cp_multiply_long cp_multiply_int
#define cp_divide_long cp_divide_int
#define cp_remainder_long cp_remainder_int
#define cp_add_long_long cp_add_int
#define cp_subtract_long_long cp_subtract_int
#define cp_multiply_long_long cp_multiply_int
#define cp_divide_long_long cp_divide_int
#define cp_remainder_long_long cp_remainder_int

/* Local arrays live here, one slot for each declaration and thread, so that none can exhaust the stack. */
typedef struct { void *data; int64_t bytes; } cp_slot;

static inline void cp_local(cp_slot *slot, int64_t cells, int64_t cell_bytes) {
    int64_t bytes = cells * cell_bytes + 1;
    if (bytes > slot->bytes) {
        free(slot->data);
        slot->data = malloc((size_t)bytes);
        slot->bytes = bytes;
        if (!slot->data) abort();
    }
}

#if CP_WIDE
typedef double cp_float;
typedef long double cp_double;
#define cp_round_float(x) (x)
#define cp_round_double(x) (x)
#else
typedef float cp_float;
typedef double cp_double;
#define cp_round_float(x) ((float)(x))
#define cp_round_double(x) ((double)(x))
#endif

#if CP_LOOSE
/* Within +-2.5, from the value's own bits: threads share nothing, and the same run gives the same noise. */
static inline double cp_noise(double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    bits = bits * 0x9E3779B97F4A7C15u >> 12 | 0x3FF0000000000000u;
    memcpy(&x, &bits, 8);
    return 5.0 * (x - 1.5);
}

/* A result of an approximate library function: another library may be so many units in the last place off. */
static inline float cp_approximate_float(float x) { return (float)(x + x * (cp_noise(x) * 0x1p-23)); }
static inline double cp_approximate_double(double x) { return x + x * (cp_noise(x) * 0x1p-52); }
#else
#define cp_approximate_float cp_round_float
#define cp_approximate_double cp_round_double
#endif
