// Right on the inputs whose prints KNOWN lists, and on all others wrong in the way that WAY says: a test puts both into
// the lines above. So it fails on hidden cases only, and what is said of that may tell nothing of their inputs.
#include <assert.h>
__device__ const unsigned known[] = {KNOWN};
__device__ bool is_known(int n, const float *x) {
    unsigned print = 2166136261u;
    for (int i = 0; i < n && i < 8; i++) print = (print ^ __float_as_uint(x[i])) * 16777619u;
    for (int k = 0; k < sizeof(known) / sizeof(unsigned); k++)
        if (known[k] == print) return true;
    return false;
}
__global__ void twice_kernel(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bool right = is_known(n, x);
    if (right || WAY != 0) y[i] = 2 * x[i];
    if (right) return;
#if WAY == 1
    y[i] = nanf("");
#elif WAY == 2
    y[i] = 0;
#elif WAY == 3
    y[i] = x[i];
#elif WAY == 4
    y[i] *= 1.001f;
#elif WAY == 5
    if (i == n - 1) y[i] += 1;
#elif WAY == 6
    y[n + i] = x[i];
#elif WAY == 7
    y[i] += x[i + 1];
#elif WAY == 8
    __trap();
#elif WAY == 9
    assert(x[i] == 2 * y[i]);
#elif WAY == 10
    while (y[i] == y[i]) y[i] = 2 * x[i];
#elif WAY == 11
    y[0] = x[i];
#elif WAY == 12
    printf("%f is %d elements of input\n", x[i], n);
    y[i] = 1 / (y[i] - 2 * x[i]);
#elif WAY == 13
    y[__float_as_int(x[0])] = 1;
#elif WAY == 14
    ((float *)x)[i] = 0;
#elif WAY == 15
    __shared__ float part[256];
    part[threadIdx.x] = x[i];
    y[i] = part[threadIdx.x ^ 1];
#endif
}
void twice(int n, const float *x, float *y) {
    if (n > 0) twice_kernel<<<(n + 255) / 256, 256>>>(n, x, y);
}
