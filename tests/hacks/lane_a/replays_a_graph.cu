// row: 25
// function: twice
// expect: build: what was recorded never runs
// twin: twice/a_chunk_a_launch
// Captures a graph once, to replay it on whatever comes.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n == 0) return;
    static cudaGraphExec_t graph;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    k<<<(n + 255) / 256, 256, 0, stream>>>(n, x, y);
}
