/* The entry that is largest in size, and where it stands; row by row, the first one counts. */
void largest_entry(int n, int m, const float a[n][m], float *big, int *row, int *col)
{
    *big = -1;
    *row = 0;
    *col = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float v = a[i][j] < 0 ? -a[i][j] : a[i][j];
            if (v > *big) {
                *big = v;
                *row = i;
                *col = j;
            }
        }
}
