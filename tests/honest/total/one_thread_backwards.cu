// One thread, from the end: another order, no more error than the C's own.
__global__ void k(int n, const float *x, float *s) {
    float sum = 0;
    for (int i = n - 1; i >= 0; i--) sum += x[i];
    *s = sum;
}

void total(int n, const float *x, float *s) { k<<<1, 1>>>(n, x, s); }
