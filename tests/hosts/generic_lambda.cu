// launches: k 4x1x1 256x1x1
void saxpy(int n, float a, const float *x, float *y) {
    auto ceil_div = [](auto a, auto b) { return (a + b - 1) / b; };
    k<<<ceil_div(n, 256), 256>>>(n,a,x,y);
}
