/* A colour picture becomes grey. The bytes lie as r g b r g b ...,
   so a thread's three reads are neighbours, and the next thread starts three bytes on. */
#include <stdint.h>

void grayscale(int pixels, const uint8_t rgb[3 * pixels], uint8_t gray[pixels])
{
    for (int p = 0; p < pixels; p++)
        gray[p] = (uint8_t)((77u * rgb[3 * p] + 150u * rgb[3 * p + 1] + 29u * rgb[3 * p + 2]) >> 8);
}
