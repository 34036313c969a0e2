// sizes: n=300, steps=4
void smooth(int n, int steps, float a[n]) {
    float b[1024];
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++) b[i] = i > 0 && i < n - 1 ? (a[i - 1] + a[i] + a[i + 1]) / 3 : a[i];
        for (int i = 0; i < n; i++) a[i] = b[i];
    }
}
