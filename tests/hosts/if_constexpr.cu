// launches: vk<true> 1x1x1 32x1x1
template <int V> void run(int n, const float *x, float *y) { if constexpr (V == 4) { vk<true><<<1,32>>>(n,x,y); } else { vk<false><<<1,32>>>(n,x,y); } }
void saxpy(int n, float a, const float *x, float *y) {
    run<4>(n,x,y);
}
