// A thread a row.
__global__ void k(int height, const int *ptr, const int *col, const float *val, const float *x, float *y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= height) return;
    float s = 0;
    for (int e = ptr[r]; e < ptr[r + 1]; e++) s += val[e] * x[col[e]];
    y[r] = s;
}

void rows(int height, int cols, int nnz, const int *ptr, const int *col, const float *val, const float *x, float *y) {
    if (height > 0) k<<<(height + 63) / 64, 64>>>(height, ptr, col, val, x, y);
}
