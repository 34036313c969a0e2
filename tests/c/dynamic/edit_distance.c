#define MIN3(a, b, c) ((a) < (b) ? ((a) < (c) ? (a) : (c)) : ((b) < (c) ? (b) : (c)))

int edit_distance(int n, int m, const unsigned char *s, const unsigned char *t, int *d)
{
    int w = m + 1;
    for (int i = 0; i <= n; i++)
        d[i * w] = i;
    for (int j = 0; j <= m; j++)
        d[j] = j;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            int sub = d[(i - 1) * w + j - 1] + (s[i - 1] != t[j - 1]);
            int del = d[(i - 1) * w + j] + 1;
            int ins = d[i * w + j - 1] + 1;
            d[i * w + j] = MIN3(sub, del, ins);
        }
    return d[n * w + m];
}
