// launches: k 1x1x1 32x1x1; k 2x1x1 32x1x1; k 4x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    std::array<int, 3> s = {1, 2, 4};
    for (int b : s) k<<<b, 32>>>(n,a,x,y);
}
