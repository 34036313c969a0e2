#include <stdint.h>

void byteswap32(uint32_t *w, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t v = w[i];
        w[i] = (v >> 24) | ((v >> 8) & 0xff00u) | ((v << 8) & 0xff0000u) | (v << 24);
    }
}
