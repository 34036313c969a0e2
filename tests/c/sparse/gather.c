void gather(int n, int m, const int *index, const double *table, double *out)
{
    (void)m; /* length of table */
    for (int i = 0; i < n; i++)
        out[i] = table[index[i]];
}
