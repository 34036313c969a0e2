__global__ void spin_lock(int* lock, int* count) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *count += 1;
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void same_value(int* flag) { *flag = 7; }

__global__ void wait_for_next_block(volatile int* flag, int* y) {
    if (blockIdx.x == 0)
        while (*flag == 0) {
        }
    else
        *flag = 1;
    y[blockIdx.x] = 1;
}
