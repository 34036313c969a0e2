#include <math.h>

void zscore_with_local_array(int n, int m, double x[n][m])
{
    double mean[m], dev[m];

    for (int j = 0; j < m; j++) {
        mean[j] = 0.0;
        dev[j] = 0.0;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            mean[j] += x[i][j] / n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            dev[j] += (x[i][j] - mean[j]) * (x[i][j] - mean[j]) / n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            x[i][j] = (x[i][j] - mean[j]) / sqrt(dev[j] + 1e-12);
}
