// sizes: n=20, m=120
#include <math.h>
void softmax(int n, int m, const float x[n][m], float y[n][m]) {
    for (int i = 0; i < n; i++) {
        float greatest = x[i][0], sum = 0;
        for (int j = 1; j < m; j++) greatest = fmaxf(greatest, x[i][j]);
        for (int j = 0; j < m; j++) sum += expf(x[i][j] - greatest);
        for (int j = 0; j < m; j++) y[i][j] = expf(x[i][j] - greatest) / sum;
    }
}
