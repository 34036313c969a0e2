void strided_axpy(int n, double a, const double *x, int incx, double *y, int incy)
{
    for (int i = 0; i < n; i++)
        y[i * incy] += a * x[i * incx];
}
