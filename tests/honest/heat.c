// sizes: n=40, m=70
void heat(int n, int m, float c, const float u[n][m], float v[n][m]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (i > 0 && i < n - 1 && j > 0 && j < m - 1)
                v[i][j] = u[i][j] + c * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j]);
            else
                v[i][j] = u[i][j];
}
