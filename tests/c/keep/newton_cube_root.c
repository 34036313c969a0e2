double newton_cube_root(double a, int iters)
{
    double x = a > 1.0 ? a : 1.0;
    for (int k = 0; k < iters; k++)
        x = x - (x * x * x - a) / (3.0 * x * x);
    return x;
}
