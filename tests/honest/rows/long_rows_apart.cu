// Short rows by a thread each; rows of more than 16 elements by a block each, in a second kernel.
__global__ void short_rows(int height, const int *ptr, const int *col, const float *val, const float *x, float *y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= height || ptr[r + 1] - ptr[r] > 16) return;
    float s = 0;
    for (int e = ptr[r]; e < ptr[r + 1]; e++) s += val[e] * x[col[e]];
    y[r] = s;
}
__global__ void long_rows(const int *ptr, const int *col, const float *val, const float *x, float *y) {
    __shared__ float part[64];
    int r = blockIdx.x, first = ptr[r], last = ptr[r + 1];
    if (last - first <= 16) return;
    float s = 0;
    for (int e = first + threadIdx.x; e < last; e += 64) s += val[e] * x[col[e]];
    part[threadIdx.x] = s;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[r] = part[0];
}

void rows(int height, int cols, int nnz, const int *ptr, const int *col, const float *val, const float *x, float *y) {
    if (height <= 0) return;
    short_rows<<<(height + 63) / 64, 64>>>(height, ptr, col, val, x, y);
    long_rows<<<height, 64>>>(ptr, col, val, x, y);
}
