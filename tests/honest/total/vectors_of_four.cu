// float4 loads, four sums a thread, the last elements by the first threads.
__global__ void k(int n, const float *x, float *s) {
    float4 sum = make_float4(0, 0, 0, 0);
    for (int i = threadIdx.x; i < n / 4; i += 64) {
        float4 v = reinterpret_cast<const float4 *>(x)[i];
        sum.x += v.x; sum.y += v.y; sum.z += v.z; sum.w += v.w;
    }
    float mine = (sum.x + sum.y) + (sum.z + sum.w);
    int rest = n / 4 * 4 + threadIdx.x;
    if (rest < n) mine += x[rest];
    __shared__ float part[64];
    part[threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
        mine = part[threadIdx.x] + part[threadIdx.x + 32];
        for (int lane = 16; lane; lane >>= 1) mine += __shfl_xor_sync(0xffffffff, mine, lane);
        if (!threadIdx.x) *s = mine;
    }
}

void total(int n, const float *x, float *s) { k<<<1, 64>>>(n, x, s); }
