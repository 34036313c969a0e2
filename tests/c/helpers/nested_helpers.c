static double square(double v) { return v * v; }

static double hypot2(double a, double b) { return square(a) + square(b); }

static double power(double base, int e)
{
    double r = 1.0;
    for (int k = 0; k < e; k++)
        r *= base;
    return r;
}

void nested_helpers(int n, const double a[n], const double b[n], double out[n])
{
    for (int i = 0; i < n; i++)
        out[i] = power(hypot2(a[i], b[i]), 3) - square(a[i]);
}
