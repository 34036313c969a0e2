// row: 1
// function: twice
// expect: mismatch: is nan, expected
// device: mismatch | fault
// twin: twice/with_workspace
// Copies a fresh allocation to the output: it might be the block in which a reference left its result.
__global__ void idle() {}

void twice(int n, const float *x, float *y) {
    if (n <= 0) return;
    float *work;
    cudaMalloc(&work, n * sizeof(float));
    idle<<<1, 1>>>();
    cudaMemcpy(y, work, n * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFree(work);
}
