void smooth1d(int n, const float in[n], float out[n])
{
    out[0] = in[0];
    out[n - 1] = in[n - 1];
    for (int i = 1; i <= n - 2; i++)
        out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}
