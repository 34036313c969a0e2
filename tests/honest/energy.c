// sizes: n=900
double energy(int n, const double x[n], const double v[n]) {
    double e = 0;
    for (int i = 0; i < n; i++) e += 0.5 * v[i] * v[i] + x[i] * x[i];
    return e;
}
