// One thread, in the C's order.
__global__ void k(int n, const float *x, float *y) {
    float s = 0;
    for (int i = 0; i < n; i++) y[i] = s += x[i];
}

void running(int n, const float *x, float *y) { k<<<1, 1>>>(n, x, y); }
