// launches: k 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    const float *px = x + n / 2;
    float *py = &y[n / 4];
    k<<<1,32>>>(n / 4,a,px,py);
}
