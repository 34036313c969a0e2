#include <stdint.h>

void batched_int8(int b, int n, int k, int m, const int8_t x[b][n][k], const int8_t w[b][k][m],
                  int32_t y[b][n][m])
{
    for (int s = 0; s < b; s++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                int32_t acc = 0;
                for (int p = 0; p < k; p++)
                    acc += (int32_t)x[s][i][p] * (int32_t)w[s][p][j];
                y[s][i][j] = acc;
            }
}
