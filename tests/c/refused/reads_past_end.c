void reads_past_end(int n, const float x[n], float d[n])
{
    for (int i = 0; i < n; i++)
        d[i] = x[i + 1] - x[i];
}
