void erode(int w, int h, int r, const unsigned char src[h][w], unsigned char dst[h][w])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int x0 = x - r < 0 ? 0 : x - r, x1 = x + r >= w ? w - 1 : x + r;
            int y0 = y - r < 0 ? 0 : y - r, y1 = y + r >= h ? h - 1 : y + r;
            unsigned char lo = 255;
            for (int v = y0; v <= y1; v++)
                for (int u = x0; u <= x1; u++)
                    if (src[v][u] < lo)
                        lo = src[v][u];
            dst[y][x] = lo;
        }
}
