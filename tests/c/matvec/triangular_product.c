/* Rows past the last column are empty: y = 0 there. */
void triangular_product(int m, int n, const float U[m][n], const float x[n], float y[m])
{
    for (int i = 0; i < m; i++) {
        y[i] = 0.0f;
        for (int j = i; j < n; j++)
            y[i] += U[i][j] * x[j];
    }
}
