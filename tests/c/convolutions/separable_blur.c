static int clampi(int v, int lo, int hi)
{
    if (v < lo)
        return lo;
    return v > hi ? hi : v;
}

static const float tap[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

void separable_blur(int h, int w, const float src[h][w], float tmp[h][w], float dst[h][w])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float s = 0;
            for (int k = -2; k <= 2; k++)
                s += tap[k + 2] * src[y][clampi(x + k, 0, w - 1)];
            tmp[y][x] = s;
        }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float s = 0;
            for (int k = -2; k <= 2; k++)
                s += tap[k + 2] * tmp[clampi(y + k, 0, h - 1)][x];
            dst[y][x] = s;
        }
}
