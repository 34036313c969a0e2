#include <stdint.h>

/* The second sum in closed form: byte i counts n - i times. */
uint32_t adler(int n, const uint8_t data[n])
{
    uint64_t a = 1, b = (uint64_t)n;
    for (int i = 0; i < n; i++) {
        a += data[i];
        b += (uint64_t)(n - i) * data[i];
    }
    return (uint32_t)((b % 65521u) << 16 | (a % 65521u));
}
