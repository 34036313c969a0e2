long long count_in_range(int n, const float *x, float lo, float hi)
{
    long long count = 0;
    for (int i = 0; i < n; i++)
        if (x[i] >= lo && x[i] < hi)
            count++;
    return count;
}
