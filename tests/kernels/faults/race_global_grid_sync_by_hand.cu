// Blocks that only hope to be in step.
// run: two<<<2, 32>>>(x, y)
// run mended: first<<<2, 32>>>(x, y); second<<<2, 32>>>(x, y)
// arrays: x = float[64], y = float[64]
// expect: global_race, y[, split the kernel in two
__global__ void first(float *x, float *y) {
    int i = blockIdx.x * 32 + threadIdx.x;
    y[i] = x[i];
}
__global__ void second(float *x, float *y) {
    int i = blockIdx.x * 32 + threadIdx.x;
    x[i] = y[63 - i];
}
__global__ void two(float *x, float *y) {
    int i = blockIdx.x * 32 + threadIdx.x;
    y[i] = x[i];  // <- other
    __syncthreads();
    x[i] = y[63 - i];  // <- fault
}
