void symmetrize(int n, float *a)
{
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            a[i * n + j] = a[j * n + i];
}
