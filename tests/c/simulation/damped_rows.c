#include <math.h>

/* The coefficients are declared together and set afterwards, in one go. */
void damped_rows(int rows, int cols, double dt, double u[rows][cols], double v[rows][cols]) {
    int i, j;
    double decay, gain, a1, a2, last;
    decay = exp(-dt);
    gain = (1.0 - decay) * (1.0 - decay);
    a1 = a2 = gain * 0.5;
    if (dt > 1.0)
        a2 = gain;
    for (i = 0; i < rows; i++) {
        last = 0;
        for (j = 0; j < cols; j++) {
            v[i][j] = a1 * u[i][j] + decay * last;
            last = v[i][j];
        }
    }
    for (i = 0; i < rows; i++)
        for (j = 0; j < cols; j++)
            u[i][j] = a2 * (u[i][j] + v[i][j]);
}
