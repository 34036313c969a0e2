// launches: k 15x1x1 64x1x1
void saxpy(int n, float a, const float *x, float *y) {
    if (int b = n / 64; b > 4) k<<<b, 64>>>(n,a,x,y);
}
