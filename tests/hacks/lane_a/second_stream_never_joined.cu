// row: 15
// function: twice
// expect: ok: every launch is a step of the plan, run and timed like any other
// device: ok
// twin: axpby/streams
// The work goes to a stream of its own that nobody waits for.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    cudaStream_t aside;
    cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking);
    if (n > 0) k<<<(n + 255) / 256, 256, 0, aside>>>(n, x, y);
}
