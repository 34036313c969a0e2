#include <math.h>

/* worst[j] = largest |a*x + b - y| of fit j */
void polynomial_residual(int k, int n, const double fit[k][2], const double x[n], const double y[n],
                         double worst[k])
{
    for (int j = 0; j < k; j++) {
        double w = 0.0;
        for (int i = 0; i < n; i++)
            w = fmax(w, fabs(fit[j][0] * x[i] + fit[j][1] - y[i]));
        worst[j] = w;
    }
}
