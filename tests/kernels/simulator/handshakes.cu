// Hand-overs between threads: each is right, or lacks the one thing that makes it right.
#include <cuda/atomic>
#include <cooperative_groups.h>

// One warp makes a value in shared memory, another waits for a flag.
template <bool fenced> __global__ void flag_in_block(int *x) {
    __shared__ int value, flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        value = x[1] + 1;
        if (fenced) __threadfence_block();
        atomicExch(&flag, 1);
    }
    if (threadIdx.x == 0) {
        while (atomicAdd(&flag, 0) == 0) {}
        if (fenced) __threadfence_block();
        x[0] = value;
    }
}

// The same with cuda::atomic and its orders.
template <int order> __global__ void atomic_in_block(int *x) {
    __shared__ int value;
    __shared__ cuda::atomic<int, cuda::thread_scope_block> flag;
    if (threadIdx.x == 0) flag.store(0, cuda::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x == 32) {
        value = x[1] + 1;
        flag.store(1, order ? cuda::memory_order_release : cuda::memory_order_relaxed);
    }
    if (threadIdx.x == 0) {
        while (flag.load(order ? cuda::memory_order_acquire : cuda::memory_order_relaxed) == 0) {}
        x[0] = value;
    }
}

// The flag is right, but it is another one that the reader looks at.
__global__ void other_flag(int *x) {
    __shared__ int value, flag, unrelated;
    if (threadIdx.x == 0) flag = unrelated = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        value = x[1] + 1;
        __threadfence_block();
        atomicExch(&flag, 1);
    }
    if (threadIdx.x == 0) {
        atomicAdd(&unrelated, 1);
        __threadfence_block();
        x[0] = value;
    }
}

// Written after the fence, so the release does not carry it.
__global__ void fence_too_early(int *x) {
    __shared__ int value, flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        __threadfence_block();
        value = x[1] + 1;
        atomicExch(&flag, 1);
    }
    if (threadIdx.x == 0) {
        while (atomicAdd(&flag, 0) == 0) {}
        x[0] = value;
    }
}

// Three warps pass a value on: what the first wrote reaches the third by way of the second.
__global__ void chain(int *x) {
    __shared__ int value, flags[2];
    if (threadIdx.x < 2) flags[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = 7;
        __threadfence_block();
        atomicExch(&flags[0], 1);
    }
    if (threadIdx.x == 32) {
        while (atomicAdd(&flags[0], 0) == 0) {}
        __threadfence_block();
        atomicExch(&flags[1], 1);
    }
    if (threadIdx.x == 64) {
        while (atomicAdd(&flags[1], 0) == 0) {}
        __threadfence_block();
        x[0] = value;
    }
}

// A lock that threads of one warp and of two take in turn.
__global__ void lock(int *x, int *locked) {
    bool done = false;
    while (!done) {
        if (atomicCAS(locked, 0, 1) == 0) {
            __threadfence();
            *x += 1;
            __threadfence();
            atomicExch(locked, 0);
            done = true;
        }
    }
}

// Producer and consumer warps with two named barriers, one of which is only arrived at.
__global__ void ring(int *x) {
    __shared__ int slot[32];
    int lane = threadIdx.x % 32;
    for (int turn = 0; turn < 3; turn++) {
        if (threadIdx.x < 32) {
            if (turn) asm volatile("bar.sync 2, 64;" ::: "memory");
            slot[lane] = turn + lane;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            x[lane] += slot[31 - lane];
            if (turn < 2) asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
}

// Tiles of a warp that meet by themselves.
template <int size> __global__ void tiles(int *x) {
    namespace cg = cooperative_groups;
    __shared__ int cells[64];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    cells[threadIdx.x] = x[threadIdx.x];
    tile.sync();
    int from = threadIdx.x ^ size;
    x[threadIdx.x] = cells[from];
}

// Blocks meet in the middle of a cooperative launch.
__global__ void grid(int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    y[i] = x[i];
    cooperative_groups::this_grid().sync();
    x[i] = y[n - 1 - i];
}

// The fence comes before the barrier, and what is handed over is written after it.
__global__ void fence_of_another_phase(int *x, volatile int *flag) {
    if (blockIdx.x == 0) {
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            x[0] = 5;
            *flag = 1;
        }
    } else if (threadIdx.x == 0) {
        while (*flag == 0) {}
        x[1] = x[0];
    }
}

// All threads write and fence, one of them raises the flag after the barrier.
__global__ void fence_of_all(int *x, volatile int *flag) {
    if (blockIdx.x == 0) {
        x[threadIdx.x] = 5;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) *flag = 1;
    } else if (threadIdx.x == 0) {
        while (*flag == 0) {}
        x[100] = x[63];
    }
}

// Blocks hand over through a volatile flag with fences.
template <bool fenced> __global__ void blocks(int *x, volatile int *flag) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        x[0] = 5;
        if (fenced) __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        if (fenced) __threadfence();
        x[1] = x[0];
    }
}
