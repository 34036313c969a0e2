__constant__ float weight[3] = {0.25f, 0.5f, 0.25f};

__global__ void with_halo(const float* x, float* y, int n) {
    extern __shared__ float tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x + 1] = i < n ? x[i] : 0.0f;
    if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0.0f;
    if (threadIdx.x == blockDim.x - 1) tile[blockDim.x + 1] = i + 1 < n ? x[i + 1] : 0.0f;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 3; k++) sum += weight[k] * tile[threadIdx.x + k];
    if (i < n) y[i] = sum;
}

__global__ void without_halo(const float* x, float* y, int n) {
    extern __shared__ float tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x + 1] = i < n ? x[i] : 0.0f;
    __syncthreads();
    y[i] = tile[threadIdx.x] + tile[threadIdx.x + 2];
}

__global__ void in_place(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) x[i] = x[i - 1] + x[i + 1];
}
