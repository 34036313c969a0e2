/* Heat spreads over a plate: each point moves towards the mean of its four neighbours.
   Steps in time follow one another; within a step all points are independent,
   because u[t % 2] is only read and u[(t + 1) % 2] is only written. */
void heat2d(int steps, int n, int m, float k, float u[2][n][m])
{
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                float here = u[t % 2][i][j];
                float around = u[t % 2][i - 1][j] + u[t % 2][i + 1][j]
                             + u[t % 2][i][j - 1] + u[t % 2][i][j + 1];
                u[(t + 1) % 2][i][j] = here + k * (around - 4.0f * here);
            }
}
