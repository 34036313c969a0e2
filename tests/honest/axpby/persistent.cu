// A few blocks stay and take chunk after chunk from a counter in a workspace.
__global__ void k(int n, float a, float b, const float *x, float *y, int *next) {
    __shared__ int first;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) first = atomicAdd(next, 256);
        __syncthreads();
        if (first >= n) return;
        int i = first + threadIdx.x;
        if (i < n) y[i] = a * x[i] + b * y[i];
    }
}

void axpby(int n, float a, float b, const float *x, float *y) {
    int *next;
    cudaMalloc(&next, sizeof(int));
    cudaMemset(next, 0, sizeof(int));
    k<<<4, 256>>>(n, a, b, x, y, next);
    cudaFree(next);
}
