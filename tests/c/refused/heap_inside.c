#include <stdlib.h>

void heap_inside(int n, const double x[n], double y[n])
{
    double *tmp = malloc(sizeof(double) * (size_t)n);
    for (int i = 0; i < n; i++)
        tmp[i] = x[i] * x[i];
    for (int i = 0; i < n; i++)
        y[i] = tmp[n - 1 - i];
    free(tmp);
}
