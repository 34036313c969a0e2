#include <math.h>

void norms(int n, const float *x, float *l1, float *l2, float *linf)
{
    float a = 0, b = 0, c = 0;
    for (int i = 0; i < n; i++) {
        float v = fabsf(x[i]);
        a += v;
        b += v * v;
        if (v > c)
            c = v;
    }
    *l1 = a;
    *l2 = sqrtf(b);
    *linf = c;
}
