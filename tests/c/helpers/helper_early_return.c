static int sign_class(double v, double eps)
{
    if (v > eps)
        return 1;
    if (v < -eps)
        return -1;
    return 0;
}

void helper_early_return(int n, const double x[n], double eps, signed char cls[n])
{
    for (int i = 0; i < n; i++)
        cls[i] = (signed char)sign_class(x[i], eps);
}
