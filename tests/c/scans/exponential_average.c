/* y[i] = (1 - alpha) * y[i-1] + alpha * x[i] */
void exponential_average(int n, double alpha, const double x[n], double y[n])
{
    y[0] = x[0];
    for (int i = 1; i < n; i++)
        y[i] = (1.0 - alpha) * y[i - 1] + alpha * x[i];
}
