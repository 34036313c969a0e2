// y = A x, A in compressed rows.
__global__ void row_a_thread(const int *start, const int *column, const float *value, const float *x, float *y, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0.0f;
    for (int k = start[r]; k < start[r + 1]; k++) sum += value[k] * x[column[k]];
    y[r] = sum;
}

__global__ void row_a_warp(const int *start, const int *column, const float *value, const float *x, float *y, int rows) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float sum = 0.0f;
    for (int k = start[r] + lane; k < start[r + 1]; k += 32) sum += value[k] * x[column[k]];
    for (int k = 16; k; k /= 2) sum += __shfl_down_sync(~0u, sum, k);
    if (lane == 0) y[r] = sum;
}
