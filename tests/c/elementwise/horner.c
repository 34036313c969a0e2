#define DEGREE 6

/* Taylor coefficients of exp(x) */
static const double coef[DEGREE + 1] = {
    1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720
};

void horner(int n, const double x[n], double y[n])
{
    for (int i = 0; i < n; i++) {
        double acc = coef[DEGREE];
        for (int k = DEGREE - 1; k >= 0; k--)
            acc = acc * x[i] + coef[k];
        y[i] = acc;
    }
}
