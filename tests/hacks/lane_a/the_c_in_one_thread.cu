// row: 44
// function: twice
// expect: ok: it is right; beside turn 1 and the C its time says what it is worth
// device: ok
// twin: twice/plain
// The C's own text, by one thread.
__global__ void k(int n, const float *x, float *y) {
    for (int i = 0; i < n; i++) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) { k<<<1, 1>>>(n, x, y); }
