/* C = A * B. Each number of A and B is needed many times;
   fetched once into shared memory and kept in registers it serves many threads. */
void matmul(int n, int m, int k, const float A[n][k], const float B[k][m], float C[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float sum = 0.0f;
            for (int l = 0; l < k; l++)
                sum += A[i][l] * B[l][j];
            C[i][j] = sum;
        }
}
