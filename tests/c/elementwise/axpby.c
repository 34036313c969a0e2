/* y := a*x + b*y */
void axpby(int n, float a, const float *restrict x, float b, float *restrict y)
{
    if (n <= 0)
        return;
    for (int i = 0; i < n; ++i)
        y[i] = a * x[i] + b * y[i];
}
