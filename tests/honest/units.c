// sizes: n=30, d=24
// ranges: x=0.1:3
#include <math.h>
void units(int n, int d, const float x[n][d], float y[n][d]) {
    for (int i = 0; i < n; i++) {
        float q = 0;
        for (int j = 0; j < d; j++) q += x[i][j] * x[i][j];
        float length = sqrtf(q);
        for (int j = 0; j < d; j++) y[i][j] = x[i][j] / length;
    }
}
