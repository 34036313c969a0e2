// launches: tk<float, 256> 4x1x1 256x1x1
template <typename T> void launch(int n, T a, const T *x, T *y) { constexpr int B = sizeof(T) == 4 ? 256 : 128; tk<T, B><<<(n + B - 1) / B, B>>>(n, a, x, y); }
void saxpy(int n, float a, const float *x, float *y) {
    launch<float>(n,a,x,y);
}
