// cub::BlockReduce.
#include <cub/block/block_reduce.cuh>
__global__ void k(int n, const float *x, float *s) {
    __shared__ typename cub::BlockReduce<float, 256>::TempStorage place;
    int i = blockIdx.x * 256 + threadIdx.x;
    float sum = cub::BlockReduce<float, 256>(place).Sum(i < n ? x[i] : 0.0f);
    if (threadIdx.x == 0) atomicAdd(s, sum);
}

void total(int n, const float *x, float *s) {
    cudaMemset(s, 0, sizeof(float));
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, s);
}
