// One warp takes the even places of 64 elements, the next one the odd places.
__global__ void rules(int n, const float *x, float *y) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int is_odd = t / 32 % 2;
    int i = t / 64 * 64 + t % 32 * 2 + is_odd;
    if (i >= n) return;
    float v = x[i];
    if (is_odd)
        for (int k = 0; k < 16; k++) v = 0.75f - 0.5f * v;
    else
        for (int k = 0; k < 16; k++) v = 0.5f * v + 0.25f * v * v;
    y[i] = v;
}

void two_rules(int n, const float *x, float *y) {
    if (n > 0) rules<<<(n + 255) / 256, 256>>>(n, x, y);
}
