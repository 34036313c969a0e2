/* Keeps the positive values in order; the caller clears out. Returns how many there are. */
int compact(int n, const int x[n], int *out)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > 0)
            out[k++] = x[i];
    return k;
}
