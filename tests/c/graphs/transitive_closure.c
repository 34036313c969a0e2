#include <stdbool.h>

void transitive_closure(int n, bool *reach)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) {
            if (!reach[i * n + k])
                continue;
            for (int j = 0; j < n; j++)
                reach[i * n + j] = reach[i * n + j] || reach[k * n + j];
        }
}
