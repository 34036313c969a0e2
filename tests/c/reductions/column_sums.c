void column_sums(int n, int m, float a[n][m], float s[m])
{
    int i, j;
    for (j = 0; j < m; j++)
        s[j] = 0.f;
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++)
            s[j] += a[i][j];
}
