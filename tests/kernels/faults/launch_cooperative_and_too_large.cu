// All blocks of a cooperative launch must be on the GPU at once.
// run: coop set<<<100000, 32>>>(x)
// run mended: coop set<<<4, 32>>>(x)
// arrays: x = int[128]
// expect: launch, is launched cooperatively with 100000 blocks, let each block do more
__global__ void set(int *x) { if (blockIdx.x < 4) x[blockIdx.x * 32 + threadIdx.x] = 1; }
