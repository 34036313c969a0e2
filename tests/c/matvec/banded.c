void banded(int n, const double lower[n], const double diag[n], const double upper[n],
            const double x[n], double y[n])
{
    for (int i = 0; i < n; i++) {
        double t = diag[i] * x[i];
        if (i > 0)
            t += lower[i] * x[i - 1];
        if (i < n - 1)
            t += upper[i] * x[i + 1];
        y[i] = t;
    }
}
