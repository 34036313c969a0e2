// Every way of never ending that we know. Two blocks of 64 threads each.
__global__ void barriers(int* x) {
    while (true) __syncthreads();
}

__global__ void barriers_of_some(int* x) {
    if (threadIdx.x < 32)
        while (true) asm volatile("bar.sync 1, 32;");
}

__global__ void warp_barriers(int* x) {
    while (true) __syncwarp();
}

__global__ void shuffles(int* x) {
    int v = threadIdx.x;
    while (v >= 0) v = __shfl_xor_sync(~0u, v, 1) & 1023;
    x[0] = v;
}

__global__ void votes(int* x) {
    while (__any_sync(~0u, 1)) {
    }
}

__global__ void barrier_votes(int* x) {
    while (__syncthreads_or(1)) {
    }
}

__global__ void spin_lock(int* x) {
    while (atomicCAS(x, 0, 1) != 0) {
    }
}

__global__ void warps_that_wait(int* x) {
    __shared__ volatile int ready[2];
    if (threadIdx.x % 32 == 0) ready[threadIdx.x / 32] = 0;
    __syncthreads();
    while (!ready[1 - threadIdx.x / 32]) {
    }
    if (threadIdx.x % 32 == 0) ready[threadIdx.x / 32] = 1;
}

__global__ void sleep(int* x) {
    while (true) __nanosleep(1000);
}

__global__ void fences(int* x) {
    while (true) __threadfence();
}

__global__ void clock_that_never_comes(int* x) {
    long long start = clock64();
    while (clock64() - start < (1ll << 62)) {
    }
}

__global__ void jump_to_itself(int* x) {
    asm volatile("again: bra again;");
}
