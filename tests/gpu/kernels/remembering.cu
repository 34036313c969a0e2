// A kernel that works only until it remembers having worked.
__device__ int seen;
__global__ void lazy(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && !seen) y[i] = x[i];
}
__global__ void mark() { seen = 1; }
