// Each thread follows its own script of accesses and meetings: ops[step * blockDim.x + thread] = what | where << 8.
enum { NOTHING, READ, WRITE, ATOMIC, BARRIER, SYNCWARP, VOTE, NAMED, ARRIVE };

__global__ void follow(const int *ops, const unsigned *masks, int steps, int *sink, int *far) {
#ifdef IN_GLOBAL_MEMORY
    int *cells = far;
#else
    __shared__ int cells[8];
#endif
    int sum = 0;
    for (int step = 0; step < steps; step++) {
        int op = ops[step * blockDim.x + threadIdx.x], at = op >> 8;
        unsigned mask = masks[step * blockDim.x + threadIdx.x];
        switch (op & 255) {
        case READ: sum += cells[at]; break;
        case WRITE: cells[at] = step * 1000 + threadIdx.x; break;
        case ATOMIC: atomicAdd(&cells[at], 1); break;
        case BARRIER: __syncthreads(); break;
        case SYNCWARP: __syncwarp(mask); break;
        case VOTE: sum += __any_sync(mask, sum); break;
#ifndef NO_NAMED_BARRIERS
        case NAMED: asm volatile("bar.sync %0, %1;" ::"r"(at + 1), "r"(mask) : "memory"); break;
        case ARRIVE: asm volatile("bar.arrive %0, %1;" ::"r"(at + 1), "r"(mask) : "memory"); break;
#endif
        }
    }
    sink[threadIdx.x] = sum;
}
