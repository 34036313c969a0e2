#define TILE 16
#define min(a, b) (((a) < (b)) ? (a) : (b))

void blocked_by_hand(int n, const double *A, const double *B, double *C)
{
    for (int ii = 0; ii < n; ii += TILE)
        for (int kk = 0; kk < n; kk += TILE)
            for (int i = ii; i < min(ii + TILE, n); i++)
                for (int k = kk; k < min(kk + TILE, n); k++) {
                    double a = A[i * n + k];
                    for (int j = 0; j < n; j++)
                        C[i * n + j] += a * B[k * n + j];
                }
}
