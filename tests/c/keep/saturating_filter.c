#include <math.h>

void saturating_filter(int n, float feedback, const float x[n], float y[n])
{
    y[0] = tanhf(x[0]);
    for (int i = 1; i < n; i++)
        y[i] = tanhf(x[i] + feedback * y[i - 1]);
}
