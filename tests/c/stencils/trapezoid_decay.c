/* Finite differences: after the loops, a[0] ... a[n-1] are the leading differences. */
void trapezoid_decay(int n, long a[n])
{
    for (int k = 1; k < n; k++)
        for (int i = n - 1; i >= k; i--)
            a[i] = (long)((unsigned long)a[i] - (unsigned long)a[i - 1]);
}
