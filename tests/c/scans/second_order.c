/* A damped resonator. */
void second_order(int n, const double x[n], double y[n])
{
    y[0] = x[0];
    y[1] = x[1];
    for (int i = 2; i < n; i++)
        y[i] = x[i] + 1.2 * y[i - 1] - 0.5 * y[i - 2];
}
