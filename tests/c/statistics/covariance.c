/* n observations of m variables; data is centred on the way */
void covariance(int n, int m, double data[n][m], double mean[m], double cov[m][m])
{
    for (int j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i][j];
        mean[j] /= (double)n;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data[i][j] -= mean[j];
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) {
            double s = 0.0;
            for (int k = 0; k < n; k++)
                s += data[k][i] * data[k][j];
            cov[i][j] = s / (n - 1.0);
            cov[j][i] = cov[i][j];
        }
}
