#include <stdint.h>

uint64_t popcount_total(int n, const uint64_t w[n])
{
    uint64_t total = 0;
    for (int i = 0; i < n; i++) {
        uint64_t v = w[i];
        while (v) {
            v &= v - 1;
            total++;
        }
    }
    return total;
}
