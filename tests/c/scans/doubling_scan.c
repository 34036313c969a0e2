void doubling_scan(int n, double a[n], double b[n])
{
    for (int s = 1; s < n; s *= 2) {
        for (int i = 0; i < n; i++)
            b[i] = i >= s ? a[i] + a[i - s] : a[i];
        for (int i = 0; i < n; i++)
            a[i] = b[i];
    }
}
