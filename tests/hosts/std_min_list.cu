// launches: k 7x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    int b = std::min({n, 128, 7});
    k<<<b, 32>>>(n,a,x,y);
}
