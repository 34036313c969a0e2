#include <stdbool.h>

void rows_all_equal(int n, int m, const int a[n][m], bool same[n])
{
    for (int i = 0; i < n; i++) {
        bool ok = true;
        for (int j = 1; j < m; j++)
            ok = ok && a[i][j] == a[i][0];
        same[i] = ok;
    }
}
