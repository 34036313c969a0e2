void with_pragma(const int n, const double *restrict const x, const double *restrict const y, double *restrict const z)
{
#pragma GCC ivdep
    for (int i = 0; (i) < (n); i += 1)
    {
        z[(i)] = ((x[i]) * (x[i])) + ((y[i]) * (y[i]));
    }
}
