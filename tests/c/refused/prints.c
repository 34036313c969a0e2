#include <stdio.h>

float prints(int n, const float x[n])
{
    float s = 0.0f;
    for (int i = 0; i < n; i++) {
        s += x[i];
        printf("%d: %f\n", i, s);
    }
    return s;
}
