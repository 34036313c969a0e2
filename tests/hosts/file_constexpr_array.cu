// launches: k 4x1x1 32x1x1
constexpr int kSizes[] = {1, 2, 4, 8};
void saxpy(int n, float a, const float *x, float *y) {
    k<<<kSizes[2], 32>>>(n,a,x,y);
}
