/* Blocked by hand for a cache. */
void transpose_blocked(int n, const short a[n][n], short b[n][n])
{
    for (int I = 0; I < n; I += 8)
        for (int J = 0; J < n; J += 8)
            for (int i = I; i < I + 8 && i < n; i++)
                for (int j = J; j < J + 8 && j < n; j++)
                    b[j][i] = a[i][j];
}
