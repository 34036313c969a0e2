void weighted_mean_columns(int n, int m, const float *x, const float *w, float *mean)
{
    for (int j = 0; j < m; j++) {
        float num = 0.0f, den = 0.0f;
        for (int i = 0; i < n; i++) {
            num += w[i] * x[i * m + j];
            den += w[i];
        }
        mean[j] = den > 0.0f ? num / den : 0.0f;
    }
}
