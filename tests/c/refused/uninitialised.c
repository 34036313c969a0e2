float uninitialised(int n, const float x[n])
{
    float s;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}
