#define IDX(r, c, ld) ((c) * (ld) + (r)) /* column-major, as in Fortran */

void gemm_transposed(int n, int m, int k, const float *A, const float *B, float *C)
{
    for (int c = 0; c < m; c++)
        for (int r = 0; r < n; r++) {
            float dot = 0.0f;
            for (int p = 0; p < k; p++)
                dot += A[IDX(p, r, k)] * B[IDX(c, p, m)];
            C[IDX(r, c, n)] = dot;
        }
}
