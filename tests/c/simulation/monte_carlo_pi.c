#include <stdint.h>

/* An integer mixer: neighbouring counters give unrelated bits. */
static uint32_t mix(uint32_t v)
{
    v ^= v >> 16;
    v *= 0x7feb352du;
    v ^= v >> 15;
    v *= 0x846ca68bu;
    v ^= v >> 16;
    return v;
}

int monte_carlo_pi(int n, uint32_t seed)
{
    int inside = 0;
    for (int i = 0; i < n; i++) {
        float x = (float)(mix(seed + 2u * (uint32_t)i) >> 8) / 16777216.0f;
        float y = (float)(mix(seed + 2u * (uint32_t)i + 1u) >> 8) / 16777216.0f;
        if (x * x + y * y < 1.0f)
            inside++;
    }
    return inside;
}
