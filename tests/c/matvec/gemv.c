void gemv(int m, int n, float alpha, const float A[m][n], const float x[n], float beta, float y[m])
{
    for (int i = 0; i < m; i++) {
        float s = 0.0f;
        for (int j = 0; j < n; j++)
            s += A[i][j] * x[j];
        y[i] = alpha * s + beta * y[i];
    }
}
