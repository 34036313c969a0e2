#include <math.h>

typedef struct { float r, g, b; } rgb_t;
typedef struct { float h, s, v; } hsv_t;

void rgb_to_hsv(int w, int h, const rgb_t in[h][w], hsv_t out[h][w])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float r = in[y][x].r, g = in[y][x].g, b = in[y][x].b;
            float hi = fmaxf(r, fmaxf(g, b));
            float lo = fminf(r, fminf(g, b));
            float d = hi - lo;
            float hue;

            if (d == 0.0f)
                hue = 0.0f;
            else if (hi == r)
                hue = (g - b) / d + (g < b ? 6.0f : 0.0f);
            else if (hi == g)
                hue = (b - r) / d + 2.0f;
            else
                hue = (r - g) / d + 4.0f;

            out[y][x].h = hue * 60.0f;
            out[y][x].s = hi > 0.0f ? d / hi : 0.0f;
            out[y][x].v = hi;
        }
}
