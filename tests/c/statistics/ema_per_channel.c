void ema_per_channel(int t, int c, float decay, float x[t][c])
{
    for (int i = 1; i < t; i++)
        for (int j = 0; j < c; j++)
            x[i][j] = decay * x[i - 1][j] + (1.0f - decay) * x[i][j];
}
