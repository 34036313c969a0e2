#include <math.h>

double correlation(int n, const float *x, const float *y)
{
    double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
    for (int i = 0; i < n; i++) {
        sx += x[i];
        sy += y[i];
        sxx += (double)x[i] * x[i];
        syy += (double)y[i] * y[i];
        sxy += (double)x[i] * y[i];
    }
    double vx = n * sxx - sx * sx;
    double vy = n * syy - sy * sy;
    if (vx <= 1e-9 || vy <= 1e-9)
        return 0.0;
    return (n * sxy - sx * sy) / sqrt(vx * vy);
}
