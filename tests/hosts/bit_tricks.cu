// launches: k 1x1x1 1024x1x1
void saxpy(int n, float a, const float *x, float *y) {
    int t = 1;
    while (t < n && t < 1024) t *= 2;
    int lg = 31 - __builtin_clz(t);
    int p = 1 << lg;
    unsigned u = n;
    u--;
    u |= u >> 1;
    u |= u >> 2;
    u |= u >> 4;
    u |= u >> 8;
    u |= u >> 16;
    u++;
    k<<<u / p, p>>>(n,a,x,y);
}
