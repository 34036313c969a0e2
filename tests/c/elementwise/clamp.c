#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

// limit every value to [lo, hi]
void clamp(double *v, int n, double lo, double hi)
{
    int i;
    for (i = 0; i < n; i++) {
        v[i] = MAX(lo, MIN(v[i], hi));
    }
}
