// sizes: n=1500
#include <math.h>
void root(int n, const float x[n], float y[n]) {
    for (int i = 0; i < n; i++) y[i] = i % 199 == 3 ? sqrtf(-1 - x[i] * x[i]) : sqrtf(1 + x[i] * x[i]);
}
