void symmetric_lower(int n, const double *a, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = 0;
    for (int i = 0; i < n; i++) {
        double s = a[i * n + i] * x[i];
        for (int j = 0; j < i; j++) {
            s += a[i * n + j] * x[j];
            y[j] += a[i * n + j] * x[i];
        }
        y[i] += s;
    }
}
