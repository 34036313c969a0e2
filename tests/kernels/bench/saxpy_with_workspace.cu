// Through a copy of y that nobody needs: correct, and twice the memory of y.
__global__ void scale(int n, float a, const float *x, const float *from, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + from[i];
}

void saxpy(int n, float a, const float *x, float *y) {
    if (n == 0) return;
    float *copy;
    cudaMalloc(&copy, n * sizeof(float));
    cudaMemcpy(copy, y, n * sizeof(float), cudaMemcpyDeviceToDevice);
    scale<<<(n + 255) / 256, 256>>>(n, a, x, copy, y);
    cudaFree(copy);
}
