#include <stdint.h>

/* A cheap fingerprint: wrap-around is intended. */
uint32_t product_wrap(int n, const uint32_t x[n])
{
    uint32_t p = 1u, q = 0u;
    for (int i = 0; i < n; i++) {
        p *= (x[i] | 1u);
        q ^= x[i];
    }
    return p ^ q;
}
