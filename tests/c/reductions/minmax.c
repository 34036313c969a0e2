#include <stdint.h>

void minmax(int n, const int16_t x[n], int16_t out[2])
{
    int16_t lo = x[0], hi = x[0];
    for (int i = 1; i < n; i++) {
        lo = x[i] < lo ? x[i] : lo;
        hi = x[i] > hi ? x[i] : hi;
    }
    out[0] = lo;
    out[1] = hi;
}
