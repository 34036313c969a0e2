#include <limits.h>
#include <stdlib.h>

int smallest_gap(int n, const int t[n])
{
    int gap = INT_MAX;
    for (int i = 0; i < n - 2; i++) {
        int d = abs(t[i + 2] - t[i]);
        if (d < gap)
            gap = d;
    }
    return gap;
}
