/* A fixed number of steps on (A + A^T + 4n I) x = b, from x = 0. */
void conjugate_gradient(int n, int iters, const double A[n][n], const double b[n],
                        double x[n], double r[n], double p[n], double q[n])
{
    double rr = 0.0;
    for (int i = 0; i < n; i++) {
        x[i] = 0.0;
        r[i] = b[i];
        p[i] = b[i];
        rr += b[i] * b[i];
    }
    for (int it = 0; it < iters; it++) {
        double pq = 0.0;
        for (int i = 0; i < n; i++) {
            q[i] = 4.0 * n * p[i];
            for (int j = 0; j < n; j++)
                q[i] += (A[i][j] + A[j][i]) * p[j];
            pq += p[i] * q[i];
        }
        if (pq <= 1e-30)
            break;
        double alpha = rr / pq, next = 0.0;
        for (int i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            next += r[i] * r[i];
        }
        double beta = next / rr;
        rr = next;
        for (int i = 0; i < n; i++)
            p[i] = r[i] + beta * p[i];
    }
}
