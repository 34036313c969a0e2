#include <math.h>

void logsumexp_columns(int n, int m, const double *a, double *out)
{
    for (int j = 0; j < m; j++) {
        double top = a[j];
        for (int i = 1; i < n; i++)
            if (a[i * m + j] > top)
                top = a[i * m + j];
        double sum = 0.0;
        for (int i = 0; i < n; i++)
            sum += exp(a[i * m + j] - top);
        out[j] = top + log(sum);
    }
}
