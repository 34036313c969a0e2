#include <math.h>

void piecewise(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) {
        float v = x[i];
        if (v < -0.5f)
            y[i] = -1.0f - v;
        else if (v < 0.0f)
            y[i] = sinf(v);
        else if (v < 0.5f)
            y[i] = v * v;
        else
            y[i] = sqrtf(v);
    }
}
