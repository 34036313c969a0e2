void rational_chain(int n, const double a[n], double f[n])
{
    f[n - 1] = a[n - 1];
    for (int i = n - 2; i >= 0; i--)
        f[i] = a[i] + 1.0 / f[i + 1];
}
