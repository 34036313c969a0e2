#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>

namespace cg = cooperative_groups;

__global__ void block_reduce(const float* x, float* y) {
    using Reduce = cub::BlockReduce<float, 128>;
    __shared__ typename Reduce::TempStorage storage;
    float sum = Reduce(storage).Sum(x[blockIdx.x * 128 + threadIdx.x]);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

__global__ void tiles(const int* x, int* y) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int v = x[threadIdx.x];
    for (int o = 4; o > 0; o >>= 1) v += tile.shfl_xor(v, o);
    y[threadIdx.x] = v;
}
