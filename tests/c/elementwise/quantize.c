#include <stdint.h>
#include <math.h>

void quantize(int64_t n, const float *x, float scale, int8_t *q)
{
    for (int64_t i = 0; i < n; ++i) {
        float r = rintf(x[i] / scale);
        if (r > 127.0f) r = 127.0f;
        else if (r < -128.0f) r = -128.0f;
        q[i] = (int8_t)r;
    }
}
