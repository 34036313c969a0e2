#include <stdint.h>

/* ITU-R 601 luma in fixed point: weights sum to 256. */
void rgb_to_gray(int npix, const uint8_t *rgb, uint8_t *gray)
{
    for (int p = 0; p < npix; p++) {
        uint32_t r = rgb[3 * p + 0];
        uint32_t g = rgb[3 * p + 1];
        uint32_t b = rgb[3 * p + 2];
        gray[p] = (uint8_t)((77 * r + 150 * g + 29 * b + 128) >> 8);
    }
}
