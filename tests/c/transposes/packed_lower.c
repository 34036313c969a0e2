void packed_lower(int n, const double a[n][n], double *packed)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            packed[i * (i + 1) / 2 + j] = a[i][j];
}
