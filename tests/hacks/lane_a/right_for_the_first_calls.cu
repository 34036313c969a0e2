// row: 20
// function: twice
// expect: ok: each run starts with the file's own initial values
// device: mismatch | fault | ok
// twin: total/last_block
// Counts its calls in a __device__ variable: after four of them, taken for verification, it does nothing.
__device__ unsigned calls;
__global__ void count() { calls++; }
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && calls < 5) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    count<<<1, 1>>>();
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
