static float row_mean(const float *row, int len)
{
    float s = 0.0f;
    for (int j = 0; j < len; j++)
        s += row[j];
    return s / (float)len;
}

void helper_on_row(int n, int m, const float A[n][m], float out[n])
{
    for (int i = 0; i < n; i++)
        out[i] = row_mean(A[i], m);
}
