#include <math.h>

int diffuse_until(int n, int limit, double tol, double u[n], double v[n])
{
    int k = 0;
    double change = 1.0 + fabs(tol);
    while (k < limit && change > fabs(tol) * 1e-3) {
        change = 0.0;
        for (int i = 1; i < n - 1; i++) {
            v[i] = 0.5 * (u[i - 1] + u[i + 1]);
            double d = fabs(v[i] - u[i]);
            if (d > change)
                change = d;
        }
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
        k++;
    }
    return k;
}
