// A switch over sizes.
template <int B> __global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * B + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
template <int B> void go(int n, const float *x, float *y) { k<B><<<(n + B - 1) / B, B>>>(n, x, y); }

void twice(int n, const float *x, float *y) {
    if (n <= 0) return;
    switch (n / 100) {
    case 0: go<32>(n, x, y); break;
    case 1:
    case 2: go<64>(n, x, y); break;
    default: go<256>(n, x, y);
    }
}
