#include <stdint.h>

void embedding_sum(int bags, int per, int rows, int dim, const int64_t id[bags][per],
                   const float table[rows][dim], float out[bags][dim])
{
    for (int b = 0; b < bags; b++)
        for (int d = 0; d < dim; d++) {
            out[b][d] = 0;
            for (int p = 0; p < per; p++)
                out[b][d] += table[id[b][p]][d];
        }
}
