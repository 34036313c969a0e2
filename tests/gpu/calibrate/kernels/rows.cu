// One block of 256 threads a row.
__device__ float block_sum(float v) {
    __shared__ float part[8];
    for (int k = 16; k; k /= 2) v += __shfl_xor_sync(~0u, v, k);
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[threadIdx.x % 8];
    for (int k = 4; k; k /= 2) v += __shfl_xor_sync(~0u, v, k);
    return v;
}

__device__ float block_max(float v) {
    __shared__ float part[8];
    for (int k = 16; k; k /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, k));
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[threadIdx.x % 8];
    for (int k = 4; k; k /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, k));
    return v;
}

__global__ void softmax(const float *in, float *out, int n) {
    const float *x = in + blockIdx.x * n;
    float most = -1e30f, sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += 256) most = fmaxf(most, x[i]);
    most = block_max(most);
    for (int i = threadIdx.x; i < n; i += 256) sum += expf(x[i] - most);
    sum = block_sum(sum);
    for (int i = threadIdx.x; i < n; i += 256) out[blockIdx.x * n + i] = expf(x[i] - most) / sum;
}

__global__ void layer_norm(const float *in, const float *gain, const float *bias, float *out, int n) {
    const float *x = in + blockIdx.x * n;
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < n; i += 256) sum += x[i];
    float mean = block_sum(sum) / n;
    for (int i = threadIdx.x; i < n; i += 256) squares += (x[i] - mean) * (x[i] - mean);
    float deviation = sqrtf(block_sum(squares) / n + 1e-5f);
    for (int i = threadIdx.x; i < n; i += 256) out[blockIdx.x * n + i] = (x[i] - mean) / deviation * gain[i] + bias[i];
}
