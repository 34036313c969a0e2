#include <stdbool.h>

void token_bucket(int n, float rate, float cap, const float cost[n], bool passed[n])
{
    float level = cap;
    for (int i = 0; i < n; i++) {
        level = level + rate < cap ? level + rate : cap;
        passed[i] = level >= cost[i];
        if (passed[i])
            level -= cost[i];
    }
}
