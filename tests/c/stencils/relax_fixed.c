#define SIDE 90

void relax_fixed(int sweeps, int n, float grid[SIDE][SIDE]) {
    int t, i, j;
    for (t = 1; t <= sweeps; t++)
        for (i = 1; i <= n - 2; i++)
            for (j = 1; j <= n - 2; j++)
                grid[i][j] = (grid[i - 1][j - 1] + grid[i - 1][j + 1] + grid[i][j] + grid[i + 1][j - 1]) * 0.25f;
}
