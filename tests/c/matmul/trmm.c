/* B := L^T * B with unit diagonal; row i needs only rows below it, which are still old. */
void trmm(int n, int m, const double L[n][n], double B[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = i + 1; k < n; k++)
                B[i][j] += L[k][i] * B[k][j];
}
