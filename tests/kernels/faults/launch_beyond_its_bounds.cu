// Compiled for 128 threads a block, launched with 256.
// run: set<<<1, 256>>>(x)
// run mended: set<<<2, 128>>>(x)
// arrays: x = int[256]
// expect: launch, compiled for 128 at most, __launch_bounds__
__global__ void __launch_bounds__(128) set(int *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
