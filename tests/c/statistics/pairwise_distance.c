typedef float real;

void pairwise_distance(int n, int m, int d, const real p[n][d], const real q[m][d], real out[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            real s = 0;
            for (int k = 0; k < d; k++) {
                real t = p[i][k] - q[j][k];
                s += t * t;
            }
            out[i][j] = s;
        }
}
