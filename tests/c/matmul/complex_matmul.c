typedef struct { double re, im; } zed;

void complex_matmul(int n, const zed A[n][n], const zed B[n][n], zed C[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            zed s = {0.0, 0.0};
            for (int k = 0; k < n; k++) {
                s.re += A[i][k].re * B[k][j].re - A[i][k].im * B[k][j].im;
                s.im += A[i][k].re * B[k][j].im + A[i][k].im * B[k][j].re;
            }
            C[i][j] = s;
        }
}
