// Indices that leave arrays of every kind of memory, whichever way and however far.
__constant__ int table[4] = {10, 20, 30, 40};
__device__ int list[4] = {1, 2, 3, 4};

__global__ void local_read(const int* x, int* y, long long at) {
    int mine[8];
    for (int i = 0; i < 8; i++) mine[i] = x[i] + threadIdx.x;
    y[threadIdx.x] = mine[at];
}

__global__ void local_write(const int* x, int* y, long long at) {
    int mine[8];
    for (int i = 0; i < 8; i++) mine[i] = x[i] + threadIdx.x;
    if (threadIdx.x == 1) mine[at] = 1000;
    y[threadIdx.x] = mine[x[0]];
}

__global__ void constant_read(const int* x, int* y, long long at) { y[threadIdx.x] = table[at]; }

__global__ void device_write(const int* x, int* y, long long at) {
    list[at] = 1000;
    y[threadIdx.x] = x[threadIdx.x];
}

__global__ void shared_write(const int* x, int* y, long long at) {
    __shared__ int part[32];
    part[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 1) part[at] = 1000;
    __syncthreads();
    y[threadIdx.x] = part[threadIdx.x];
}

__global__ void global_write(const int* x, int* y, long long at) { y[threadIdx.x + at] = x[threadIdx.x]; }

__global__ void wide_text(int* x) {
    printf("%.999999999f %999999999d %-123456789s|%5.2f|%0*d|", 1.0, x[1], "text", 2.125, 6, x[2]);
}

__global__ void large_frame(int* x, int at) {
    int mine[100000];
    for (int i = 0; i < 100000; i++) mine[i] = i;
    x[threadIdx.x] = mine[at + threadIdx.x];
}

__global__ void generic_write(const int* x, int* y, long long at) {
    __shared__ int part[32];
    int mine[4] = {x[0], x[1], x[2], x[3]};
    int* where[3] = {part, mine, y};
    part[threadIdx.x] = 0;
    __syncthreads();
    int* p = where[x[1] % 3];
    p[at] = 1000;
    y[threadIdx.x] = part[threadIdx.x] + mine[x[1]];
}
