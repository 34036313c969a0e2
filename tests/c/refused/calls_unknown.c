float filter_tap(float v);

void calls_unknown(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++)
        y[i] = filter_tap(x[i]);
}
