#include <math.h>

static inline float gelu_one(float v)
{
    const float k = 0.7978845608f; /* sqrt(2/pi) */
    return 0.5f * v * (1.0f + tanhf(k * (v + 0.044715f * v * v * v)));
}

void gelu(const float *x, float *y, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        y[i] = gelu_one(x[i]);
}
