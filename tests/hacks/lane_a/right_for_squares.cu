// row: 11
// function: flip
// expect: fault: is never written
// device: mismatch | fault
// twin: flip/squares_apart
// Rows and columns exchanged as if both had n elements.
__global__ void k(int n, const float *a, float *b) {
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    if (i < n && j < n) b[j * n + i] = a[i * n + j];
}

void flip(int n, int m, const float *a, float *b) {
    if (n > 0 && m > 0) k<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(n, a, b);
}
