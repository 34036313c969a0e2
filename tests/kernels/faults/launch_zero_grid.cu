// n is 0, and so is the grid.
// run: set<<<0, 32>>>(x)
// run mended: set<<<1, 32>>>(x)
// arrays: x = int[32]
// expect: launch, no size may be zero, guard it with an if
__global__ void set(int *x) { x[threadIdx.x] = 1; }
