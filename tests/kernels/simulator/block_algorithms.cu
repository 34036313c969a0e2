// cub's algorithms of a block and of a warp, each kernel one block of 128 threads with an item or four a thread.
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

constexpr int THREADS = 128, ITEMS = 4;

template <cub::BlockReduceAlgorithm algorithm>
__global__ void reduce(const int* x, int* y, int count) {
    using Reduce = cub::BlockReduce<int, THREADS, algorithm>;
    __shared__ typename Reduce::TempStorage storage;
    int t = threadIdx.x;
    int sum = Reduce(storage).Sum(x[t]);
    __syncthreads();
    int most = Reduce(storage).Reduce(x[t], [](int a, int b) { return a > b ? a : b; });
    __syncthreads();
    int part = Reduce(storage).Sum(x[t], count);
    if (t == 0) {
        y[0] = sum;
        y[1] = most;
        y[2] = part;
    }
}

template <cub::BlockScanAlgorithm algorithm>
__global__ void scan(const int* x, int* y, int* z, int* total) {
    using Scan = cub::BlockScan<int, THREADS, algorithm>;
    __shared__ typename Scan::TempStorage storage;
    int items[ITEMS], sums[ITEMS], all, t = threadIdx.x;
    for (int i = 0; i < ITEMS; i++) items[i] = x[t * ITEMS + i];
    Scan(storage).ExclusiveSum(items, sums, all);
    for (int i = 0; i < ITEMS; i++) y[t * ITEMS + i] = sums[i];
    if (t == 0) *total = all;
    __syncthreads();
    Scan(storage).InclusiveScan(items, sums, [](int a, int b) { return a > b ? a : b; });
    for (int i = 0; i < ITEMS; i++) z[t * ITEMS + i] = sums[i];
}

__global__ void radix_sort(const unsigned* x, unsigned* y, int* positions) {
    using Sort = cub::BlockRadixSort<unsigned, THREADS, ITEMS, int>;
    __shared__ typename Sort::TempStorage storage;
    unsigned keys[ITEMS];
    int values[ITEMS], t = threadIdx.x;
    for (int i = 0; i < ITEMS; i++) {
        keys[i] = x[t * ITEMS + i];
        values[i] = t * ITEMS + i;
    }
    Sort(storage).Sort(keys, values);
    for (int i = 0; i < ITEMS; i++) {
        y[t * ITEMS + i] = keys[i];
        positions[t * ITEMS + i] = values[i];
    }
}

struct Less {
    __device__ bool operator()(float a, float b) const { return a < b; }
};

__global__ void merge_sort(const float* x, float* y) {
    using Sort = cub::BlockMergeSort<float, THREADS, ITEMS>;
    __shared__ typename Sort::TempStorage storage;
    float keys[ITEMS];
    for (int i = 0; i < ITEMS; i++) keys[i] = x[threadIdx.x * ITEMS + i];
    Sort(storage).Sort(keys, Less());
    for (int i = 0; i < ITEMS; i++) y[threadIdx.x * ITEMS + i] = keys[i];
}

template <cub::BlockLoadAlgorithm load, cub::BlockStoreAlgorithm store>
__global__ void load_and_store(const int* x, int* y, int count) {
    using Load = cub::BlockLoad<int, THREADS, ITEMS, load>;
    using Store = cub::BlockStore<int, THREADS, ITEMS, store>;
    __shared__ union { typename Load::TempStorage load_part; typename Store::TempStorage store_part; } storage;
    int items[ITEMS];
    Load(storage.load_part).Load(x, items, count, -1);
    __syncthreads();
    for (int i = 0; i < ITEMS; i++) items[i] = items[i] * 10 + i;
    Store(storage.store_part).Store(y, items, count);
}

template <cub::BlockHistogramAlgorithm algorithm>
__global__ void histogram(const unsigned char* x, int* counts) {
    using Histogram = cub::BlockHistogram<unsigned char, THREADS, ITEMS, 64, algorithm>;
    __shared__ typename Histogram::TempStorage storage;
    __shared__ int bins[64];
    unsigned char items[ITEMS];
    for (int i = 0; i < ITEMS; i++) items[i] = x[threadIdx.x * ITEMS + i];
    Histogram(storage).Histogram(items, bins);
    __syncthreads();
    if (threadIdx.x < 64) counts[threadIdx.x] = bins[threadIdx.x];
}

__global__ void neighbours(const int* x, int* differences, int* heads, int* turned, int* shifted) {
    using Difference = cub::BlockAdjacentDifference<int, THREADS>;
    using Discontinuity = cub::BlockDiscontinuity<int, THREADS>;
    using Exchange = cub::BlockExchange<int, THREADS, ITEMS>;
    using Shuffle = cub::BlockShuffle<int, THREADS>;
    __shared__ union {
        typename Difference::TempStorage a;
        typename Discontinuity::TempStorage b;
        typename Exchange::TempStorage c;
        typename Shuffle::TempStorage d;
    } storage;
    int items[ITEMS], out[ITEMS], t = threadIdx.x;
    for (int i = 0; i < ITEMS; i++) items[i] = x[t * ITEMS + i];
    Difference(storage.a).SubtractLeft(items, out, [](int a, int b) { return a - b; });
    for (int i = 0; i < ITEMS; i++) differences[t * ITEMS + i] = out[i];
    __syncthreads();
    Discontinuity(storage.b).FlagHeads(out, items, [](int a, int b) { return a != b; });
    for (int i = 0; i < ITEMS; i++) heads[t * ITEMS + i] = out[i];
    __syncthreads();
    Exchange(storage.c).BlockedToStriped(items, out);
    for (int i = 0; i < ITEMS; i++) turned[i * THREADS + t] = out[i];
    __syncthreads();
    int moved = items[0];
    Shuffle(storage.d).Offset(items[0], moved, 1);
    shifted[t] = moved;
}

template <int width>
__global__ void warp_algorithms(const int* x, int* sums, int* scanned, int* sorted) {
    using Reduce = cub::WarpReduce<int, width>;
    using Scan = cub::WarpScan<int, width>;
    using Sort = cub::WarpMergeSort<int, 1, width>;
    __shared__ typename Reduce::TempStorage for_reduce[THREADS / width];
    __shared__ typename Scan::TempStorage for_scan[THREADS / width];
    __shared__ typename Sort::TempStorage for_sort[THREADS / width];
    int t = threadIdx.x, part = t / width, key[1] = {x[t]};
    int sum = Reduce(for_reduce[part]).Sum(x[t]);
    if (t % width == 0) sums[part] = sum;
    int before;
    Scan(for_scan[part]).ExclusiveSum(x[t], before);
    scanned[t] = before;
    Sort(for_sort[part]).Sort(key, [](int a, int b) { return a < b; });
    sorted[t] = key[0];
}
