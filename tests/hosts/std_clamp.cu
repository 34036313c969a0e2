// launches: k 64x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    int b = std::clamp(n / 4, 1, 64);
    k<<<b, 32>>>(n,a,x,y);
}
