#ifndef N
#define N 33
#endif
#define STEPS 3

double grid[N][N];
double scratch[N][N];

void global_grid(void)
{
    int t, i, j;
    for (t = 0; t < STEPS; t++) {
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N - 1; j++)
                scratch[i][j] = 0.2 * (grid[i][j] + grid[i - 1][j] + grid[i + 1][j]
                                     + grid[i][j - 1] + grid[i][j + 1]);
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N - 1; j++)
                grid[i][j] = scratch[i][j];
    }
}
