#include <math.h>

#define EPS 1e-5f

void normalize_rows(int rows, int cols, const float *x, const float *gain, const float *bias, float *y)
{
    for (int r = 0; r < rows; r++) {
        const float *in = x + r * cols;
        float *out = y + r * cols;
        float mu = 0.0f, sq = 0.0f;
        for (int c = 0; c < cols; c++)
            mu += in[c];
        mu /= (float)cols;
        for (int c = 0; c < cols; c++) {
            float d = in[c] - mu;
            sq += d * d;
        }
        float inv = 1.0f / sqrtf(sq / (float)cols + EPS);
        for (int c = 0; c < cols; c++)
            out[c] = (in[c] - mu) * inv * gain[c] + bias[c];
    }
}
