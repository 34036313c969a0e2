#include <stddef.h>

double dot(const double *restrict a, const double *restrict b, size_t n)
{
    double acc = 0;
    for (size_t i = 0; i != n; ++i)
        acc += a[i] * b[i];
    return acc;
}
