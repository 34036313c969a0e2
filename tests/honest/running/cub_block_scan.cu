// cub::BlockScan with a running prefix.
#include <cub/block/block_scan.cuh>
struct Prefix {
    float total;
    __device__ float operator()(float block) {
        float old = total;
        total += block;
        return old;
    }
};
__global__ void k(int n, const float *x, float *y) {
    using Scan = cub::BlockScan<float, 128>;
    __shared__ typename Scan::TempStorage place;
    Prefix prefix{0};
    for (int first = 0; first < n; first += 128) {
        int i = first + threadIdx.x;
        float v = i < n ? x[i] : 0;
        Scan(place).InclusiveSum(v, v, prefix);
        if (i < n) y[i] = v;
        __syncthreads();
    }
}

void running(int n, const float *x, float *y) { k<<<1, 128>>>(n, x, y); }
