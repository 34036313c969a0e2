void endless(int n, float x[n])
{
    while (1)
        for (int i = 0; i < n; i++)
            x[i] = 0.5f * x[i];
}
