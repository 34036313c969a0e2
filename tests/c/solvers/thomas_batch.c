void thomas_batch(int lines, int n, const double lo[lines][n], double di[lines][n],
                  const double up[lines][n], double rhs[lines][n])
{
    for (int s = 0; s < lines; s++) {
        for (int i = 1; i < n; i++) {
            double w = lo[s][i] / di[s][i - 1];
            di[s][i] -= w * up[s][i - 1];
            rhs[s][i] -= w * rhs[s][i - 1];
        }
        rhs[s][n - 1] /= di[s][n - 1];
        for (int i = n - 2; i >= 0; i--)
            rhs[s][i] = (rhs[s][i] - up[s][i] * rhs[s][i + 1]) / di[s][i];
    }
}
