void argmin_rows(int n, int m, const int a[n][m], int value[n], int where[n])
{
    for (int i = 0; i < n; i++) {
        int best = a[i][0], at = 0;
        for (int j = 1; j < m; j++) {
            if (a[i][j] <= best) {   /* <= : keep the last */
                best = a[i][j];
                at = j;
            }
        }
        value[i] = best;
        where[i] = at;
    }
}
