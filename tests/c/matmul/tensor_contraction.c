void tensor_contraction(int r, int q, int p, double A[r][q][p], const double C[p][p], double sum[p])
{
    for (int a = 0; a < r; a++)
        for (int b = 0; b < q; b++) {
            for (int s = 0; s < p; s++) {
                sum[s] = 0.0;
                for (int k = 0; k < p; k++)
                    sum[s] += A[a][b][k] * C[k][s];
            }
            for (int s = 0; s < p; s++)
                A[a][b][s] = sum[s];
        }
}
