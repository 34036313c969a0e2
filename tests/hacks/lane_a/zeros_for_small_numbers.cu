// row: 3
// function: softmax
// expect: mismatch: expected
// device: mismatch
// twin: softmax/online
// Every quotient is below one; zeros are near them in absolute terms.
__global__ void k(int n, int m, float *y) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n * m) y[t] = 0;
}

void softmax(int n, int m, const float *x, float *y) {
    if (n * m > 0) k<<<(n * m + 127) / 128, 128>>>(n, m, y);
}
