// launches: k 4x1x1 40x1x1
void saxpy(int n, float a, const float *x, float *y) {
    int b = (int)ceilf((float)n / 256.0f);
    int r = (int)std::sqrt((double)n);
    int l = (int)log2((double)n);
    k<<<b, r + l>>>(n,a,x,y);
}
