__global__ void endless(volatile int* x) {
    while (x[0] == 0) {
    }
}

__global__ void gigabyte(int* x) {
    for (int i = 0; i < 1000000000; i++) printf("line %d\n", i);
}

__global__ void wild(int* x, long long at) { x[at] = 1; }

__global__ void local_array(int* x, int at) {
    int mine[8];
    for (int i = 0; i < 8; i++) mine[i] = x[i] * i;
    x[0] = mine[at];
}

__global__ void trap(int* x) {
    if (threadIdx.x == 5) __trap();
}

__global__ void checks(int* x) { assert(x[threadIdx.x] < 5); }

__global__ void misaligned(float* x) { *(float4*)(x + 1) = make_float4(1, 2, 3, 4); }

__global__ void null_pointer(int* x) { x[threadIdx.x] = 1; }

__global__ void nothing(int* x) {}

__global__ void many_turns(int* x, int turns) {
    int count = 0;
    for (volatile int i = 0; i < turns + threadIdx.x % 32; i = i + 1) count++;
    x[threadIdx.x] = count;
}

__global__ void same_value(int* x) { x[threadIdx.x / 32] = 5; }

__global__ void same_value_shared(int* x) {
    __shared__ volatile int found[2];
    found[threadIdx.x / 32] = 5;
    __syncthreads();
    x[threadIdx.x] = found[0];
}
