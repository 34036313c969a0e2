// One template for both widths, told apart at compile time.
template <bool WIDE> __global__ void k(int n, const float *x, float *y) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if constexpr (WIDE) {
        if (t < n / 2) {
            float2 v = ((const float2 *)x)[t];
            ((float2 *)y)[t] = make_float2(v.x * 2, v.y * 2);
        }
    } else {
        if (t < n) y[t] = x[t] * 2;
    }
}

void twice(int n, const float *x, float *y) {
    if (n <= 0) return;
    if (n % 2) k<false><<<(n + 255) / 256, 256>>>(n, x, y);
    else k<true><<<(n / 2 + 255) / 256, 256>>>(n, x, y);
}
