void gemm(int M, int N, int K, double alpha, const double *restrict A, const double *restrict B,
          double beta, double *restrict C)
{
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            C[i * N + j] *= beta;
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[i * N + j] += alpha * A[i * K + k] * B[k * N + j];
    }
}
