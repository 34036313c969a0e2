// row: 10
// function: smooth
// expect: mismatch: expected
// device: mismatch
// twin: smooth/two_steps_a_launch
// No more than two steps, however many are asked for.
__global__ void k(int n, const float *a, float *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = i > 0 && i < n - 1 ? (a[i - 1] + a[i] + a[i + 1]) / 3 : a[i];
}

void smooth(int n, int steps, float *a) {
    if (n <= 0) return;
    float *work;
    cudaMalloc(&work, n * sizeof(float));
    for (int t = 0; t < min(steps, 2); t++) {
        k<<<(n + 63) / 64, 64>>>(n, a, work);
        cudaMemcpy(a, work, n * sizeof(float), cudaMemcpyDeviceToDevice);
    }
    cudaFree(work);
}
