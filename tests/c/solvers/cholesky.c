#include <math.h>

void cholesky(int n, double A[n][n])
{
    /* make it positive definite whatever came in */
    for (int i = 0; i < n; i++)
        A[i][i] = fabs(A[i][i]) + 2.0 * n;

    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            A[j][j] -= A[j][k] * A[j][k];
        A[j][j] = sqrt(A[j][j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++)
                A[i][j] -= A[i][k] * A[j][k];
            A[i][j] /= A[j][j];
        }
    }
}
