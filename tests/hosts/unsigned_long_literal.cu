// launches: k 8x1x1 32x1x1; k 10x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    const auto b = 1ull << 3;
    k<<<b, 0x20u>>>(n,a,x,y);
    k<<<1'0, 32>>>(n,a,x,y);
}
