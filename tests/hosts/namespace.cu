// launches: k 8x1x1 128x1x1
namespace impl { constexpr int T = 128; inline void launch(int n, float a, const float *x, float *y) { k<<<(n + T - 1) / T, T>>>(n,a,x,y); } }
void saxpy(int n, float a, const float *x, float *y) {
    impl::launch(n,a,x,y);
}
