// launches: k 2x1x1 128x1x1
struct Config { int threads; int unroll; int blocks(int n) const { return (n + threads * unroll - 1) / (threads * unroll); } };
void saxpy(int n, float a, const float *x, float *y) {
    Config c{128, 4};
    k<<<c.blocks(n), c.threads>>>(n,a,x,y);
}
