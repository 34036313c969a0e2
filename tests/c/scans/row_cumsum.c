void row_cumsum(int n, int m, const float *src, float *dst)
{
    for (int r = 0; r < n; r++) {
        float acc = 0.0f;
        for (int c = 0; c < m; c++) {
            acc += src[r * m + c];
            dst[r * m + c] = acc;
        }
    }
}
