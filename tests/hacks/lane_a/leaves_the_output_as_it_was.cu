// row: 1
// function: twice
// expect: fault: is never written
// device: fault
// twin: twice/plain
// Launches, and writes nothing.
__global__ void k(int n, const float *x, float *y) {
    if (n < 0) y[0] = x[0];
}

void twice(int n, const float *x, float *y) { k<<<1, 1>>>(n, x, y); }
