// The length is missing.
// run: set<<<1, 32>>>(x)
// run mended: set<<<1, 32>>>(x, 32)
// arrays: x = int[32]
// expect: launch, takes 2 arguments, the launch gives 1
__global__ void set(int *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }
