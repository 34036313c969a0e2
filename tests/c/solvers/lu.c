/* The diagonal is made dominant first, so that no pivoting is needed. */
void lu(int n, double a[n][n])
{
    for (int i = 0; i < n; i++)
        a[i][i] += 2.0 * n;

    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++)
            a[i][k] /= a[k][k];
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
    }
}
