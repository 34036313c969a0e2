#include <stdint.h>
#define RECORD 16

void ring_hash(int n, const uint8_t rec[n][RECORD], uint32_t h[n])
{
    for (int i = 0; i < n; i++) {
        uint32_t v = 2166136261u;
        for (int k = 0; k < RECORD; k++)
            v = (v ^ rec[i][k]) * 16777619u;
        h[i] = v;
    }
}
