// launches: bk<128> 1x1x1 128x1x1
template <int B> void launch(int n, const float *x, float *y) { bk<B><<<1, B>>>(n, x, y); }
#define DISPATCH(n, ...) if (n < 64) { constexpr int B = 32; __VA_ARGS__; } else { constexpr int B = 128; __VA_ARGS__; }
void saxpy(int n, float a, const float *x, float *y) {
    DISPATCH(n, launch<B>(n, x, y));
}
