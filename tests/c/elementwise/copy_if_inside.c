static int imin(int a, int b) { return a < b ? a : b; }
static int imax(int a, int b) { return a > b ? a : b; }

/* Copies only the window [lo, hi) clipped to the array. */
void copy_if_inside(int n, int lo, int hi, const short src[n], short dst[n])
{
    for (int i = imax(lo, 0); i <= imin(hi, n) - 1; i++)
        dst[i] = src[i];
}
