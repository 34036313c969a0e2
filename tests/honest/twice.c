// sizes: n=3000
void twice(int n, const float x[n], float y[n]) {
    for (int i = 0; i < n; i++) y[i] = 2 * x[i];
}
