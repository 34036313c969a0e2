void triangular_many(int n, int m, const float *U, float *X)
{
    for (int i = n - 1; i >= 0; i--)
        for (int c = 0; c < m; c++) {
            float s = 0.0f;
            for (int k = i + 1; k < n; k++)
                s += U[i * n + k] * X[k * m + c];
            X[i * m + c] = (X[i * m + c] - s / (float)n) / U[i * n + i];
        }
}
