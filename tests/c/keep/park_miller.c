#include <stdint.h>

void park_miller(int n, uint32_t seed, uint32_t out[n])
{
    uint64_t state = seed;
    for (int i = 0; i < n; i++) {
        state = state * 48271u % 2147483647u;
        out[i] = (uint32_t)state;
    }
}
