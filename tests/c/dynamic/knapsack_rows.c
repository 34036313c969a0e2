void knapsack_rows(int items, int cap, const int weight[items], const int value[items],
                   int best[items + 1][cap + 1])
{
    for (int c = 0; c <= cap; c++)
        best[0][c] = 0;
    for (int i = 1; i <= items; i++)
        for (int c = 0; c <= cap; c++) {
            int keep = best[i - 1][c];
            if (weight[i - 1] <= c) {
                int take = best[i - 1][c - weight[i - 1]] + value[i - 1];
                if (take > keep)
                    keep = take;
            }
            best[i][c] = keep;
        }
}
