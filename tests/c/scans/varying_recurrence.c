void varying_recurrence(int n, const double *a, const double *b, double h0, double *h)
{
    double state = h0;
    for (int i = 0; i < n; i++) {
        state = a[i] * state + b[i];
        h[i] = state;
    }
}
