// Templates that instantiate each other without end.
template <int N> struct Deep { static const int value = Deep<N + 1>::value + Deep<N + 2>::value; };
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i] + Deep<0>::value;
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
