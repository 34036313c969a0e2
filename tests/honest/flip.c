// sizes: n=70, m=50
void flip(int n, int m, const float a[n][m], float b[m][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) b[j][i] = a[i][j];
}
