/* Rows become columns. No arithmetic at all: only the order of the memory accesses matters.
   Neighbouring threads read neighbours, but then they write a whole row apart. Watch coalescing. */
void transpose(int n, int m, const float a[n][m], float b[m][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[j][i] = a[i][j];
}
