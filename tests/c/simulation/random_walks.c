#include <stdint.h>

void random_walks(int walkers, int steps, uint64_t seed, int end[walkers])
{
    for (int w = 0; w < walkers; w++) {
        uint64_t s = seed + (uint64_t)w * 0x9E3779B97F4A7C15u + 1u;
        int at = 0;
        for (int k = 0; k < steps; k++) {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            at += (s & 1u) ? 1 : -1;
        }
        end[w] = at;
    }
}
