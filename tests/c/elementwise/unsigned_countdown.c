#include <stddef.h>

void unsigned_countdown(size_t n, const double *a, double *b)
{
    for (size_t i = n; i-- > 0;)
        b[n - 1 - i] = 3.0 * a[i] - 1.0;
}
