#define BIG 1000000000

void matrix_chain(int n, const int dims[n + 1], int cost[n][n])
{
    for (int i = 0; i < n; i++)
        cost[i][i] = 0;
    for (int len = 2; len <= n; len++)
        for (int i = 0; i + len <= n; i++) {
            int j = i + len - 1;
            int best = BIG;
            for (int k = i; k < j; k++) {
                int c = cost[i][k] + cost[k + 1][j] + dims[i] * dims[k + 1] * dims[j + 1];
                if (c < best)
                    best = c;
            }
            cost[i][j] = best;
        }
}
