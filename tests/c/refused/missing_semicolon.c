void missing_semicolon(int n, float a, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) {
        float t = a * x[i]
        y[i] = t;
    }
}
