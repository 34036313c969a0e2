// row: 24
// function: twice
// expect: ok: there are no such addresses; on a device what is timed is verified
// device: mismatch | fault | ok
// twin: twice/vectors_by_alignment
// Guesses by the array's address whether it is a large one that is being timed.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool timed = n > 1000000 && (unsigned long long)y % 512 == 0;
    if (i < n && !timed) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
