// cooperative_groups: every kind of group and what it can do together.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

template <int size>
__global__ void tiles(const int* x, int* sums, int* scans, int* ranks) {
    auto tile = cg::tiled_partition<size>(cg::this_thread_block());
    int t = threadIdx.x;
    sums[t] = cg::reduce(tile, x[t], cg::plus<int>());
    scans[t] = cg::inclusive_scan(tile, x[t]);
    ranks[t] = tile.thread_rank() + 1000 * tile.meta_group_rank() + 100000 * tile.any(x[t] == 3) + tile.shfl(x[t], size - 1) * 1000000;
    tile.sync();
}

__global__ void coalesced(const int* x, int* sums, int* ranks) {
    int t = threadIdx.x;
    if (x[t] % 3 == 0) {
        auto active = cg::coalesced_threads();
        sums[t] = cg::reduce(active, x[t], cg::plus<int>());
        ranks[t] = active.thread_rank() * 100 + active.size() + 10000 * active.shfl(x[t], 0);
    }
}

__global__ void partitions(const int* x, int* by_label, int* by_choice) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x;
    auto labelled = cg::labeled_partition(warp, x[t] % 5);
    by_label[t] = cg::reduce(labelled, x[t], cg::plus<int>());
    auto halves = cg::binary_partition(warp, x[t] > 10);
    by_choice[t] = cg::reduce(halves, x[t], cg::greater<int>());
}

__global__ void operators(const unsigned* x, unsigned* y, float* f) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x;
    unsigned v = x[t];
    y[t] = cg::reduce(warp, v, cg::bit_and<unsigned>());
    y[32 + t] = cg::reduce(warp, v, cg::bit_or<unsigned>());
    y[64 + t] = cg::reduce(warp, v, cg::bit_xor<unsigned>());
    y[96 + t] = cg::reduce(warp, v, cg::less<unsigned>());
    y[128 + t] = cg::exclusive_scan(warp, v, cg::plus<unsigned>());
    f[t] = cg::reduce(warp, (float)v, cg::plus<float>());
}

__global__ void copied(const int* x, int* y) {
    __shared__ alignas(16) int tile[256];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, x, sizeof tile);
    cg::wait(block);
    y[block.thread_rank()] = tile[255 - block.thread_rank()];
}

__global__ void copied_by_warp(const int* x, int* y) {
    __shared__ alignas(16) int tile[128];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int* mine = tile + 32 * warp.meta_group_rank();
    cg::memcpy_async(warp, mine, x + 32 * warp.meta_group_rank(), sizeof(int) * 32);
    cg::wait(warp);
    y[block.thread_rank()] = mine[31 - warp.thread_rank()];
}

__global__ void split_barrier(const int* x, int* y) {
    __shared__ int tile[128];
    auto block = cg::this_thread_block();
    int t = block.thread_rank();
    tile[t] = x[t];
    auto token = block.barrier_arrive();
    int own = x[t] * 2;
    block.barrier_wait(std::move(token));
    y[t] = own + tile[127 - t];
}

__global__ void whole_grid(int* x, int* y, int times) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank(), n = grid.size();
    for (int k = 0; k < times; k++) {
        y[i] = x[(i + 1) % n] + 1;
        grid.sync();
        x[i] = y[i];
        grid.sync();
    }
}
