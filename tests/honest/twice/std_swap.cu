// Host code in the style of the standard library.
#include <algorithm>
#include <utility>
#include <cstdint>
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
static constexpr int kThreads = 128;
static inline dim3 grid_for(std::int64_t n) { return dim3(static_cast<unsigned>((n + kThreads - 1) / kThreads)); }

void twice(int n, const float *x, float *y) {
    const auto grid = grid_for(std::max(n, 1));
    k<<<grid, kThreads>>>(n, x, y);
}
