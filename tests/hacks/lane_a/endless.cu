// row: 38
// function: twice
// expect: timeout: 
// device: timeout
// twin: twice/grid_stride
// Never ends.
__global__ void k(int n, const float *x, volatile float *y) {
    do y[0] = 2 * x[0];
    while (y[0] == 2 * x[0]);
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<1, 1>>>(n, x, y);
}
