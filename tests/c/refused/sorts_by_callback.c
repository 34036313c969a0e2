#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

void sorts_by_callback(int n, int v[n])
{
    qsort(v, (size_t)n, sizeof v[0], compare);
}
