#include <math.h>
#include <stdint.h>

static const int gx[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
static const int gy[3][3] = {{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}};

void sobel(int w, int h, const uint8_t img[h][w], float mag[h][w])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
                mag[y][x] = 0.0f;
                continue;
            }
            int sx = 0, sy = 0;
            for (int v = -1; v <= 1; v++)
                for (int u = -1; u <= 1; u++) {
                    sx += gx[v + 1][u + 1] * img[y + v][x + u];
                    sy += gy[v + 1][u + 1] * img[y + v][x + u];
                }
            mag[y][x] = sqrtf((float)(sx * sx + sy * sy));
        }
}
