void rank_one_update(int m, int n, float alpha, const float *x, const float *y, float *A)
{
    for (int i = 0; i < m; ++i) {
        const float ax = alpha * x[i];
        for (int j = 0; j < n; ++j)
            A[i * n + j] += ax * y[j];
    }
}
