__global__ void softmax(const float* x, float* y, int n) {
    __shared__ float part[8];
    const float* row = x + blockIdx.x * n;
    float most = -__int_as_float(0x7f800000);
    for (int i = threadIdx.x; i < n; i += 256) most = fmaxf(most, row[i]);
    for (int o = 16; o > 0; o >>= 1) most = fmaxf(most, __shfl_xor_sync(~0u, most, o));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
    __syncthreads();
    for (int i = 0; i < 8; i++) most = fmaxf(most, part[i]);
    __syncthreads();
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 256) sum += expf(row[i] - most);
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < 8; i++) sum += part[i];
    for (int i = threadIdx.x; i < n; i += 256) y[blockIdx.x * n + i] = expf(row[i] - most) / sum;
}
