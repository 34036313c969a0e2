void moving_average_window(int n, int k, const double x[n], double avg[n - k + 1])
{
    double s = 0.0;
    for (int i = 0; i < k; i++)
        s += x[i];
    avg[0] = s / k;
    for (int i = k; i < n; i++) {
        s += x[i] - x[i - k];
        avg[i - k + 1] = s / k;
    }
}
