// row: 27
// function: total
// expect: fault: nothing has written
// device: mismatch | fault
// twin: total/tree
// Adds to the output without clearing it: right where an allocator has zeroed it.
__global__ void k(int n, const float *x, float *s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(s, x[i]);
}

void total(int n, const float *x, float *s) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, s);
    else cudaMemset(s, 0, sizeof(float));
}
