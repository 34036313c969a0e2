void rows_of_pointers(int n, int m, float **A)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            A[i][j] *= 2.0f;
}
