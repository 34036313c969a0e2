void suffix_min(int n, const int *p, int *low)
{
    low[n - 1] = p[n - 1];
    for (int i = n - 2; i >= 0; --i)
        low[i] = p[i] < low[i + 1] ? p[i] : low[i + 1];
}
