#include <math.h>

void reservoir_levels(int cells, int steps, const double inflow[cells][steps], double level[cells])
{
    for (int c = 0; c < cells; c++) {
        double h = fabs(level[c]);
        for (int t = 0; t < steps; t++)
            h = fabs(h + inflow[c][t] - 0.1 * sqrt(h));
        level[c] = h;
    }
}
