// A tile of a warp from cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(int n, const float *x, float *s) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * 256 + threadIdx.x;
    float sum = cg::reduce(warp, i < n ? x[i] : 0.0f, cg::plus<float>());
    if (warp.thread_rank() == 0) atomicAdd(s, sum);
}

void total(int n, const float *x, float *s) {
    cudaMemset(s, 0, sizeof(float));
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, s);
}
