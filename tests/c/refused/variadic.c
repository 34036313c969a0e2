#include <stdarg.h>

int variadic(int n, ...)
{
    va_list ap;
    int v = 0;
    va_start(ap, n);
    for (int i = 0; i < n; i++)
        v += va_arg(ap, int);
    va_end(ap);
    return v;
}
