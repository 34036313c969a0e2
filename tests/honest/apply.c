// sizes: m=60, n=150
void apply(int m, int n, const float A[m][n], const float x[n], float y[m]) {
    for (int i = 0; i < m; i++) {
        float s = 0;
        for (int j = 0; j < n; j++) s += A[i][j] * x[j];
        y[i] = s;
    }
}
