// A thread an element: it looks its row up by bisection and adds with an atomic.
__global__ void k(int height, int nnz, const int *ptr, const int *col, const float *val, const float *x, float *y) {
    int e = ptr[0] + blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= ptr[height]) return;
    int low = 0, high = height;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (ptr[middle] <= e) low = middle;
        else high = middle;
    }
    atomicAdd(&y[low], val[e] * x[col[e]]);
}

void rows(int height, int cols, int nnz, const int *ptr, const int *col, const float *val, const float *x, float *y) {
    if (height <= 0) return;
    cudaMemset(y, 0, height * sizeof(float));
    if (nnz > 0) k<<<(nnz + 127) / 128, 128>>>(height, nnz, ptr, col, val, x, y);
}
