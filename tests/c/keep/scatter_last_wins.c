void scatter_last_wins(int n, int m, const int where[n], const float x[n], float y[m])
{
    for (int i = 0; i < n; i++)
        y[where[i]] = x[i];
}
