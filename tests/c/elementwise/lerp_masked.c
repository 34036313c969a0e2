#include <stdbool.h>

void lerp_masked(int rows, int cols, const bool mask[rows][cols],
                 const float a[rows][cols], const float b[rows][cols],
                 float t, float out[rows][cols])
{
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++) {
            out[r][c] = a[r][c];
            if (!mask[r][c])
                continue;
            out[r][c] += t * (b[r][c] - a[r][c]);
        }
    }
}
