// 32 by 64 threads are 2048.
// run: set<<<1, (32, 64)>>>(x)
// run mended: set<<<2, (32, 32)>>>(x)
// arrays: x = int[2048]
// expect: launch, has 2048 threads; a block may have 1024 at most
__global__ void set(int *x) { x[blockIdx.x * 1024 + threadIdx.y * 32 + threadIdx.x] = 1; }
