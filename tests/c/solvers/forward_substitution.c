/* L x = b, diagonal not unit */
void forward_substitution(int n, const double L[n][n], const double b[n], double x[n])
{
    for (int i = 0; i < n; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= L[i][j] * x[j] / n;
        x[i] = x[i] / L[i][i];
    }
}
