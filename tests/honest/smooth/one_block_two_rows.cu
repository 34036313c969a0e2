// All steps in one block, two rows in shared memory.
__global__ void k(int n, int steps, float *a) {
    __shared__ float rows[2][1024];
    for (int i = threadIdx.x; i < n; i += blockDim.x) rows[0][i] = a[i];
    __syncthreads();
    for (int t = 0; t < steps; t++) {
        const float *from = rows[t % 2];
        float *to = rows[(t + 1) % 2];
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            to[i] = i > 0 && i < n - 1 ? (from[i - 1] + from[i] + from[i + 1]) / 3 : from[i];
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = rows[steps > 0 ? steps % 2 : 0][i];
}

void smooth(int n, int steps, float *a) { k<<<1, 256>>>(n, steps, a); }
