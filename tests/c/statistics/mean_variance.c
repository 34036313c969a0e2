void mean_variance(int n, const double x[n], double *mean, double *var)
{
    double m = 0.0;
    for (int i = 0; i < n; i++)
        m += x[i];
    m /= n;

    double v = 0.0;
    for (int i = 0; i < n; i++)
        v += (x[i] - m) * (x[i] - m);

    *mean = m;
    *var = v / (n - 1);
}
