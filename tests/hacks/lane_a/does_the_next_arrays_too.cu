// row: 22
// function: twice
// expect: fault: holds
// device: fault
// twin: twice/a_chunk_a_launch
// Goes on past the array, for the inputs of later calls that may lie behind it.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) { k<<<(n + 255) / 256 + 8, 256>>>(n, x, y); }
