// A block stages no more than its own 256 elements and one neighbour at each side.
#define CHUNK 256

__global__ void mean(int n, const float *x, float *y) {
    __shared__ float s[CHUNK + 2];
    int start = blockIdx.x * CHUNK;
    for (int k = threadIdx.x; k < CHUNK + 2; k += blockDim.x) {
        int i = start + k - 1;
        s[k] = i >= 0 && i < n ? x[i] : 0.0f;
    }
    __syncthreads();
    int k = threadIdx.x, i = start + k;
    if (i < n) y[i] = i > 0 && i < n - 1 ? (s[k] + s[k + 1] + s[k + 2]) / 3.0f : s[k + 1];
}

void smooth(int n, const float *x, float *y) {
    if (n > 0) mean<<<(n + CHUNK - 1) / CHUNK, CHUNK>>>(n, x, y);
}
