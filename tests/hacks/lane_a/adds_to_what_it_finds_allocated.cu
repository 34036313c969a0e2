// row: 2
// function: total
// expect: fault: nothing has written
// device: mismatch | fault
// twin: total/counter_reset
// Takes a fresh allocation for an intermediate result of somebody else, and returns it.
__global__ void k(int n, const float *x, const float *found, float *s) { *s = found[0] + 0 * x[0]; }

void total(int n, const float *x, float *s) {
    float *found;
    cudaMalloc(&found, 4096);
    cudaMemset(s, 0, sizeof(float));
    if (n > 0) k<<<1, 1>>>(n, x, found, s);
    cudaFree(found);
}
