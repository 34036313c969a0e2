#include <stdint.h>

void rotate90(int w, int h, const uint32_t src[h][w], uint32_t dst[w][h])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            dst[x][h - 1 - y] = src[y][x];
}
