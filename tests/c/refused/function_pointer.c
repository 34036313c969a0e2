void function_pointer(int n, double (*f)(double), const double x[n], double y[n])
{
    for (int i = 0; i < n; i++)
        y[i] = f(x[i]);
}
