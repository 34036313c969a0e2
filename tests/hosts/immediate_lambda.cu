// launches: k 8x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    const int blocks = [&] { if (n > 100) return 8; return 1; }();
    k<<<blocks, 32>>>(n,a,x,y);
}
