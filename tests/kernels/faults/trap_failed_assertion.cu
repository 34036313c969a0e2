// An assertion that does not hold for one thread.
// run: check<<<2, 32>>>(x, 64)
// run mended: check<<<2, 32>>>(x, 65)
// arrays: x = int[64] counting
// expect: trap, block (1,0,0), thread (31,0,0), x[i] + 1 < n
#include <cassert>
__global__ void check(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(x[i] + 1 < n);  // <- fault
}
