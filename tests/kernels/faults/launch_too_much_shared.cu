// 300,000 bytes of shared memory.
// run: set<<<1, 32, 300000>>>(x)
// run mended: set<<<1, 32, 128>>>(x)
// arrays: x = int[32]
// expect: launch, bytes of shared memory a block
__global__ void set(int *x) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = tile[threadIdx.x];
}
