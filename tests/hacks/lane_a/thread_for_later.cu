// row: 16
// function: twice
// expect: build: std::thread
// twin: axpby/streams
// A thread would launch later.
#include <thread>
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    std::thread later([=] { k<<<(n + 255) / 256, 256>>>(n, x, y); });
    later.detach();
}
