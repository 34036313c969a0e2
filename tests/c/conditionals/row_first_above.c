void row_first_above(int n, int m, float level, const float a[n][m], int first[n])
{
    for (int i = 0; i < n; i++) {
        first[i] = -1;
        for (int j = 0; j < m; j++) {
            if (a[i][j] > level) {
                first[i] = j;
                break;
            }
        }
    }
}
