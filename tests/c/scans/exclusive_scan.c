#include <stdint.h>

/* offsets[i] = counts[0] + ... + counts[i-1]; the grand total comes back. */
int64_t exclusive_scan(int n, const int32_t *counts, int64_t *offsets)
{
    int64_t run = 0;
    for (int i = 0; i < n; i++) {
        offsets[i] = run;
        run += counts[i];
    }
    return run;
}
