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
