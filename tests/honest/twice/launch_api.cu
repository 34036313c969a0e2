// By cudaLaunchKernel.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n <= 0) return;
    void *args[] = {(void *)&n, (void *)&x, (void *)&y};
    cudaLaunchKernel((const void *)k, dim3((n + 255) / 256), dim3(256), args, 0, 0);
}
