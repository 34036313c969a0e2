void conv1d(int n, int k, const float x[n], const float w[k], float y[n - k + 1])
{
    for (int i = 0; i < n - k + 1; i++) {
        float s = 0.0f;
        for (int j = 0; j < k; j++)
            s += x[i + j] * w[k - 1 - j];
        y[i] = s;
    }
}
