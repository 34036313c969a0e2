__global__ void by_lane(int* y) {
    int t = threadIdx.x;
    if (t % 2)
        y[t] = t * t;
    else
        y[t] = -t;
}

// Calls keep the compiler from turning the branch into a selection.
__global__ void two_ways(int* y) {
    int t = threadIdx.x;
    int v = y[t];
    if (t % 2) {
        y[t] = v * v;
        __threadfence();
    } else {
        y[t + 64 - blockDim.x] = -v;
    }
}

__global__ void loop_of_lane(int* y) {
    int sum = 0;
    for (int i = 0; i <= threadIdx.x; i++) sum += i * y[threadIdx.x];
    y[threadIdx.x] = sum;
}

__global__ void some_leave(int* y) {
    if (threadIdx.x < 20) return;
    __syncthreads();
    y[threadIdx.x] = 1;
}

__global__ void two_barriers(int* y) {
    if (threadIdx.x < 32) {
        y[threadIdx.x] = 1;
        __syncthreads();
    } else {
        y[threadIdx.x] = 2;
        __syncthreads();
    }
}

__global__ void half_a_shuffle(int* y) {
    int v = threadIdx.x;
    if (threadIdx.x < 16) v = __shfl_sync(0xffffffffu, v, 0);
    y[threadIdx.x] = v;
}

__global__ void half_a_warp(int* y) {
    int v = threadIdx.x;
    if (threadIdx.x < 16) v = __shfl_sync(0x0000ffffu, v, 3);
    y[threadIdx.x] = v;
}

__global__ void nobody_comes(int* y) {
    if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");
    y[threadIdx.x] = 1;
}

// Odd lanes read nothing; all lanes write, in every turn of the loop.
__global__ void half_reads_all_write(const int *x, int *y, int rounds) {
#pragma unroll 1
    for (int k = 0; k < rounds; k++) {
        int v = 0;
        if (threadIdx.x % 2 == 0) v = x[k * 32 + threadIdx.x];
        y[k * 32 + threadIdx.x] = v;
    }
}
