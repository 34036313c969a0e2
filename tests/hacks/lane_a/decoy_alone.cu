// row: 41
// function: twice
// expect: fault: is never written
// device: fault
// twin: twice/plain
// Has the right kernel in its text and launches another.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
__global__ void other(float *work) { work[threadIdx.x] = 1; }

void twice(int n, const float *x, float *y) {
    float *work;
    cudaMalloc(&work, 128);
    other<<<1, 32>>>(work);
    cudaFree(work);
}
