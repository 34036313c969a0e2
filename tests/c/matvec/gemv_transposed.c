void gemv_transposed(int m, int n, double A[m][n], double x[m], double y[n])
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            y[j] += A[i][j] * x[i];
}
