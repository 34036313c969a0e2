// launches: k 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    int m = std::min<long>(n, std::numeric_limits<int>::max());
    k<<<1,32>>>(m,a,x,y);
}
