__device__ int calls;
__device__ const char word[] = "warp";

struct Pair {
    int first;
    double second;
};

__device__ __noinline__ Pair swap_and_add(Pair p, int* seen) {
    *seen += 1;
    return Pair{(int)p.second, p.first + 0.5};
}

__global__ void with_calls(const int* x, double* y, int n) {
    int seen = 0;
    Pair p = {x[threadIdx.x], 2.0};
    for (int i = 0; i < n; i++) p = swap_and_add(p, &seen);
    atomicAdd(&calls, seen);
    y[threadIdx.x] = p.first + p.second;
    __syncthreads();
    if (threadIdx.x == 0) y[0] = calls;
}

__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1) % 1000003; }

__global__ void recursive(int* x) { x[0] = factorial(x[0]) + factorial(x[1]); }

__global__ void switched(const int* x, int* y) {
    int v = x[threadIdx.x];
    switch (v) {
        case 0: v = 11; break;
        case 1: v = y[0] * 3; break;
        case 2: v = -4; break;
        case 3: v = y[1] + 1; break;
        case 4: v = 9; break;
        case 5: v = y[2] * y[2]; break;
        default: v = 0;
    }
    y[threadIdx.x + 8] = v;
}

__global__ void says(int n) {
    if (threadIdx.x == 0) printf("%s %d: %.2f %5u|%-4d|%c %lld %%\n", word, n, n * 0.5, 7u, n, 'x', 1ll << 40);
}
