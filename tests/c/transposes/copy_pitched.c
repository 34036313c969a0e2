/* sp, dp: distance between rows, in bytes, at least w */
void copy_pitched(int w, int h, const unsigned char *src, int sp, unsigned char *dst, int dp)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            dst[y * dp + x] = src[y * sp + x];
}
