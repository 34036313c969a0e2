/* Softmax of every row, safe against overflow: the row's maximum is taken off first.
   Two reductions and a map; a row fits a block, and its threads have to meet in between. */
#include <math.h>

void softmax(int rows, int cols, const float x[rows][cols], float y[rows][cols])
{
    for (int r = 0; r < rows; r++) {
        float top = x[r][0];
        for (int c = 1; c < cols; c++)
            top = fmaxf(top, x[r][c]);

        float sum = 0.0f;
        for (int c = 0; c < cols; c++) {
            y[r][c] = expf(x[r][c] - top);
            sum += y[r][c];
        }

        for (int c = 0; c < cols; c++)
            y[r][c] /= sum;
    }
}
