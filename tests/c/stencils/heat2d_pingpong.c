void heat2d_pingpong(int T, int n, int m, float k, float u[2][n][m])
{
    for (int t = 0; t < T; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[(t + 1) % 2][i][j] = u[t % 2][i][j]
                    + k * (u[t % 2][i - 1][j] + u[t % 2][i + 1][j]
                         + u[t % 2][i][j - 1] + u[t % 2][i][j + 1]
                         - 4.0f * u[t % 2][i][j]);
}
