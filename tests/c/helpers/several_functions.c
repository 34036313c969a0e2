float largest_of(int n, const float *v)
{
    float m = v[0];
    for (int i = 1; i < n; i++)
        if (v[i] > m)
            m = v[i];
    return m;
}

void normalise_all(int n, float v[n])
{
    float m = largest_of(n, v);
    for (int i = 0; i < n; i++)
        v[i] /= m;
}

void clear_all(int n, float v[n])
{
    for (int i = 0; i < n; i++)
        v[i] = 0.0f;
}
