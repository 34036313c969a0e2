__global__ void naive(const float* a, float* b, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    float v = a[y * n + x];
    b[x * n + y] = v;
}

template <int pad>
__global__ void tiled(const float* a, float* b, int n) {
    __shared__ float tile[32][32 + pad];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = a[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    float v = tile[threadIdx.x][threadIdx.y];
    b[y * n + x] = v;
}

__global__ void without_barrier(const float* a, float* b, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = a[y * n + x];
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    b[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
