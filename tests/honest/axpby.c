// sizes: n=2000
void axpby(int n, float a, float b, const float x[n], float y[n]) {
    for (int i = 0; i < n; i++) y[i] = a * x[i] + b * y[i];
}
