// launches: k 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    [[maybe_unused]] const int w = 32;
    k<<<1,w>>>(n,a,x,y);
}
