// launches: k 31x1x1 32x8x1
void saxpy(int n, float a, const float *x, float *y) {
    dim3 b{32, 8, 1}, g{(unsigned)n / 32, 1u};
    k<<<g, b>>>(n,a,x,y);
}
