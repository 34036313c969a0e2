// launches: k 1x1x1 32x1x1; k 1x1x1 32x1x1; k 1x1x1 32x1x1; k 1x1x1 32x1x1; k 1x1x1 32x1x1; k 1x1x1 32x1x1; k 1x1x1 32x1x1; k 1x1x1 32x1x1; k 1x1x1 32x1x1
static void rec(int n, float a, const float *x, float *y) { if (n < 2) return; k<<<1,32>>>(n,a,x,y); rec(n / 2, a, x, y); }
void saxpy(int n, float a, const float *x, float *y) {
    rec(n, a, x, y);
}
