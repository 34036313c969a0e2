#include <stdlib.h>

void library_random(int n, int out[n])
{
    for (int i = 0; i < n; i++)
        out[i] = rand() % 6 + 1;
}
