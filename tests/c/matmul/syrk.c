void syrk(int n, int k, double A[n][k], double C[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            for (int l = 0; l < k; l++)
                C[i][j] += A[i][l] * A[j][l];
}
