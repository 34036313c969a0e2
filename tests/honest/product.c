// sizes: n=37, m=45, k=50
void product(int n, int m, int k, const float A[n][k], const float B[k][m], float C[n][m]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float s = 0;
            for (int l = 0; l < k; l++) s += A[i][l] * B[l][j];
            C[i][j] = s;
        }
}
