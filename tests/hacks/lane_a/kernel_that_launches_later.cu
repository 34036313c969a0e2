// row: 23
// function: twice
// expect: build: dynamic parallelism
// twin: twice/a_chunk_a_launch
// A kernel that launches the work after itself.
__global__ void later(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
__global__ void k(int n, const float *x, float *y) { later<<<(n + 255) / 256, 256, 0, cudaStreamTailLaunch>>>(n, x, y); }

void twice(int n, const float *x, float *y) { k<<<1, 1>>>(n, x, y); }
