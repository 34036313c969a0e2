// launches: k 16x1x1 64x1x1
namespace { template <typename T> T div_up(T a, T b) { return (a + b - 1) / b; }
void launch(int n, float a, const float *x, float *y) { k<<<div_up(n, 64), 64>>>(n,a,x,y); } }
void saxpy(int n, float a, const float *x, float *y) {
    launch(n,a,x,y);
}
