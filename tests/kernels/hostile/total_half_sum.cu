// Adds up in half precision.
#include <cuda_fp16.h>
__global__ void k(int n, const float *x, float *s) {
    __half mine = __float2half(0);
    for (int i = threadIdx.x; i < n; i += 32) mine = __hadd(mine, __float2half(x[i]));
    for (int half = 16; half > 0; half /= 2) mine = __hadd(mine, __shfl_down_sync(0xffffffff, mine, half));
    if (threadIdx.x == 0) *s = __half2float(mine);
}

void total(int n, const float *x, float *s) {
    cudaMemset(s, 0, sizeof(float));
    if (n > 0) k<<<1, 32>>>(n, x, s);
}
