// launches: k 4x1x1 256x1x1
void saxpy(int n, float a, const float *x, float *y) {
    int t = n < 32 ? 32 : n < 256 ? 64 : 256;
    k<<<(n + t - 1) / t, t>>>(n,a,x,y);
}
