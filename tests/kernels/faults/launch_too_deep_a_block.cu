// 128 along z.
// run: set<<<1, (1, 1, 128)>>>(x)
// run mended: set<<<1, (1, 2, 64)>>>(x)
// arrays: x = int[128]
// expect: launch, 64 along z
__global__ void set(int *x) { x[threadIdx.z * blockDim.y + threadIdx.y] = 1; }
