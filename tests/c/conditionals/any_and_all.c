#include <stdbool.h>

/* For every row whether any cell is set, for every column whether all are. */
void any_and_all(int n, int m, const bool a[n][m], bool any[n], bool all[m])
{
    for (int j = 0; j < m; j++)
        all[j] = true;
    for (int i = 0; i < n; i++) {
        any[i] = false;
        for (int j = 0; j < m; j++) {
            any[i] = any[i] || a[i][j];
            all[j] = all[j] && a[i][j];
        }
    }
}
