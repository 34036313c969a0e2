// sizes: n=1000
void variance(int n, const float x[n], float v[1]) {
    float s = 0, q = 0;
    for (int i = 0; i < n; i++) s += x[i];
    for (int i = 0; i < n; i++) q += (x[i] - s / n) * (x[i] - s / n);
    v[0] = q / n;
}
