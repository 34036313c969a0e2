#include <stdlib.h>

void exits(int n, const int d[n], int q[n])
{
    for (int i = 0; i < n; i++) {
        if (d[i] == 0)
            exit(1);
        q[i] = 1000 / d[i];
    }
}
