void prefix_sum(int n, float a[n])
{
    for (int i = 1; i < n; i++)
        a[i] += a[i - 1];
}
