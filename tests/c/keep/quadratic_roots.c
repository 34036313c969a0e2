#include <math.h>

int quadratic_roots(double a, double b, double c, double r[2])
{
    double d = b * b - 4.0 * a * c;
    r[0] = (-b - sqrt(d)) / (2.0 * a);
    r[1] = (-b + sqrt(d)) / (2.0 * a);
    return d > 0.0 ? 2 : 1;
}
