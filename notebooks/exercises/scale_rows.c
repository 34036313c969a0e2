/* Every row of a matrix times a factor of its own. */
void scale_rows(int n, int m, const float factor[n], const float x[n][m], float y[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[i][j] = factor[i] * x[i][j];
}
