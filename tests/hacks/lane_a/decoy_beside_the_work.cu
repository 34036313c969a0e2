// row: 41
// function: twice
// expect: ok: every kernel that runs is the candidate's own; a decoy only costs time
// device: ok
// twin: axpby/two_kernels
// Launches a kernel for show, whose work is thrown away.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
__global__ void grand_tensor_core_kernel(int n, float *work) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) work[i] = 42;
}

void twice(int n, const float *x, float *y) {
    if (n <= 0) return;
    float *work;
    cudaMalloc(&work, n * sizeof(float));
    grand_tensor_core_kernel<<<(n + 255) / 256, 256>>>(n, work);
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
    cudaFree(work);
}
