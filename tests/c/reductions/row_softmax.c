#include <math.h>

/* Online softmax: maximum and denominator in a single pass over the row. */
void row_softmax(int n, int m, const float x[n][m], float y[n][m])
{
    for (int i = 0; i < n; i++) {
        float mx = x[i][0];
        float den = 1.0f;
        for (int j = 1; j < m; j++) {
            if (x[i][j] > mx) {
                den = den * expf(mx - x[i][j]) + 1.0f;
                mx = x[i][j];
            } else {
                den += expf(x[i][j] - mx);
            }
        }
        for (int j = 0; j < m; j++)
            y[i][j] = expf(x[i][j] - mx) / den;
    }
}
