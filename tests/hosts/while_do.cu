// launches: k 32x1x1 32x1x1; k 16x1x1 32x1x1; k 8x1x1 32x1x1; k 4x1x1 32x1x1; k 2x1x1 32x1x1; k 1x1x1 1x1x1
void saxpy(int n, float a, const float *x, float *y) {
    int m = n;
    do { k<<<(m + 31) / 32, 32>>>(m,a,x,y); m /= 2; } while (m > 32);
    while (m-- > 30) k<<<1,1>>>(m,a,x,y);
}
