#include <stdbool.h>
#include <stdint.h>

void pack_bits(int n, const bool *flag, uint8_t *packed)
{
    for (int b = 0; b < (n + 7) / 8; b++) {
        uint8_t v = 0;
        for (int k = 0; k < 8 && 8 * b + k < n; k++)
            if (flag[8 * b + k])
                v |= (uint8_t)(1u << k);
        packed[b] = v;
    }
}
