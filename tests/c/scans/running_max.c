void running_max(int n, const float x[n], float high[n])
{
    float m = x[0];
    for (int i = 0; i < n; i++) {
        if (x[i] > m)
            m = x[i];
        high[i] = m;
    }
}
