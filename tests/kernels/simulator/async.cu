// Copies that land later, and mbarriers, in the words of PTX.
typedef unsigned u32;
typedef unsigned long long u64;

__device__ u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }

template <int bytes>
__device__ void copy(void* to, const void* from) {
    if constexpr (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from), "n"(bytes) : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int n>
__device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory"); }
__device__ void wait_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// Each thread brings `bytes` bytes and reads those of its opposite.
template <int bytes>
__global__ void brought(const int* x, int* y) {
    constexpr int each = bytes / 4;
    __shared__ __align__(16) int tile[64 * each];
    int t = threadIdx.x;
    copy<bytes>(tile + t * each, x + t * each);  // the copy
    commit();
    wait<0>();
    __syncthreads();
    for (int i = 0; i < each; i++) y[t * each + i] = tile[(63 - t) * each + i];
}

// A pipeline of `stages` tiles, so that a wait leaves all but the oldest under way.
template <int stages>
__global__ void pipeline(const int* x, int* y, int tiles) {
    __shared__ int buffer[stages][64];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < stages - 1; k++) {
        if (k < tiles) copy<4>(&buffer[k][t], x + 64 * k + t);
        commit();
    }
    for (int k = 0; k < tiles; k++) {
        wait<stages - 2>();
        __syncthreads();
        sum += buffer[k % stages][63 - t];
        int next = k + stages - 1;
        if (next < tiles) copy<4>(&buffer[next % stages][t], x + 64 * next + t);
        commit();
    }
    y[t] = sum;
}

__global__ void too_early(const int* x, int* y) {
    __shared__ int tile[32];
    int t = threadIdx.x;
    tile[t] = -1;
    copy<4>(tile + t, x + t);
    commit();
    y[t] = tile[t];  // before the wait
    wait<0>();
    y[32 + t] = tile[t];
}

__global__ void one_group_too_many(const int* x, int* y) {
    __shared__ int tile[2][32];
    int t = threadIdx.x;
    copy<4>(&tile[0][t], x + t);
    commit();
    copy<4>(&tile[1][t], x + 32 + t);
    commit();
    wait<1>();
    y[t] = tile[0][t] + tile[1][t];  // the second is under way
}

__global__ void without_barrier(const int* x, int* y) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    copy<4>(tile + t, x + t);
    wait_all();
    y[t] = tile[63 - t];  // another's
}

__global__ void barrier_before_the_wait(const int* x, int* y) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    copy<4>(tile + t, x + t);
    __syncthreads();
    wait_all();
    y[t] = tile[63 - t];  // landed after the barrier
}

// Only `given` bytes of 16 are read, the others become zero; with a predicate none.
__global__ void tail(const int* x, int* y, int given, int ignore) {
    __shared__ __align__(16) int tile[8];
    u32 to = shared_address(tile);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(x), "r"(given) : "memory");
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; cp.async.cg.shared.global [%0], [%1], 16, p; }"
                 ::"r"(to + 16), "l"(x), "r"(ignore) : "memory");
    wait_all();
    for (int i = 0; i < 8; i++) y[i] = tile[i];
}

__global__ void past_the_end(const int* x, int* y) {
    __shared__ __align__(16) int tile[128];
    int t = threadIdx.x;
    copy<16>(tile + 4 * t, x + 4 * t);  // thread 31 leaves x
    wait_all();
    for (int i = 0; i < 4; i++) y[4 * t + i] = tile[4 * t + i];
}

__device__ void init(u64* b, int count) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count) : "memory"); }
__device__ u64 arrive(u64* b) {
    u64 state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(b)) : "memory");
    return state;
}
__device__ bool over(u64* b, u64 state) {
    u32 answer;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(answer) : "r"(shared_address(b)), "l"(state) : "memory");
    return answer;
}
__device__ bool over_by_parity(u64* b, u32 parity) {
    u32 answer;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(answer) : "r"(shared_address(b)), "r"(parity) : "memory");
    return answer;
}

// Copies of all threads are told by one mbarrier; each round uses its next phase.
__global__ void told(const int* x, int* y, int rounds) {
    __shared__ u64 barrier;
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
    if (t == 0) init(&barrier, 64);
    __syncthreads();
    for (int k = 0; k < rounds; k++) {
        copy<4>(tile + t, x + 64 * k + t);
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&barrier)) : "memory");
        while (!over_by_parity(&barrier, k & 1)) {
        }
        sum += tile[63 - t];
        __syncthreads();
    }
    y[t] = sum;
}

__global__ void told_too_early(const int* x, int* y) {
    __shared__ u64 barrier;
    __shared__ int tile[64];
    int t = threadIdx.x;
    if (t == 0) init(&barrier, 64);
    __syncthreads();
    copy<4>(tile + t, x + t);
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&barrier)) : "memory");
    y[t] = tile[t];  // nobody waited
}

// One bulk copy, expected by the thread that issues it.
__global__ void in_bulk(const int* x, int* y) {
    __shared__ u64 barrier;
    __shared__ __align__(16) int tile[256];
    int t = threadIdx.x;
    u32 at = shared_address(&barrier);
    if (t == 0) init(&barrier, 1);
    __syncthreads();
    if (t == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(1024) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     ::"r"(shared_address(tile)), "l"(x), "r"(1024), "r"(at) : "memory");
    }
    while (!over_by_parity(&barrier, 0)) {
    }
    for (int i = t; i < 256; i += 64) y[i] = tile[255 - i];
}

// Half of the threads produce, the others consume; `log` takes what the instructions answer.
__global__ void produced(int* y, u32* log) {
    __shared__ u64 full;
    __shared__ int tile[32];
    int t = threadIdx.x;
    if (t == 0) init(&full, 32);
    __syncthreads();
    if (t < 32) {
        tile[t] = t * t;
        u64 state = arrive(&full);
        u32 missing;
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(missing) : "l"(state));
        log[t] = missing;
        while (!over(&full, state)) {
        }
    } else {
        while (!over_by_parity(&full, 0)) {
        }
        y[t - 32] = tile[63 - t];
    }
}

// A thread that drops out is not expected in the next phase.
__global__ void dropped(u32* log) {
    __shared__ u64 barrier;
    if (threadIdx.x == 0) {
        init(&barrier, 3);
        u32 at = shared_address(&barrier);
        u64 first;
        asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 2;" : "=l"(first) : "r"(at) : "memory");
        log[0] = over(&barrier, first);
        asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(first) : "r"(at) : "memory");
        log[1] = over(&barrier, first);
        u64 second = arrive(&barrier);
        log[2] = over(&barrier, second);
        second = arrive(&barrier);
        log[3] = over(&barrier, second);
    }
}

__global__ void once_too_often(u32* log) {
    __shared__ u64 barrier;
    if (threadIdx.x == 0) {
        init(&barrier, 1);
        asm volatile("mbarrier.arrive.shared.b64 _, [%0], 2;" ::"r"(shared_address(&barrier)) : "memory");  // two of one
        log[0] = 1;
    }
}

__global__ void never_told(u32* log) {
    __shared__ u64 barrier;
    if (threadIdx.x == 0) init(&barrier, 65);
    __syncthreads();
    u64 state = arrive(&barrier);
    while (!over(&barrier, state)) {  // one arrival is missing
    }
    log[threadIdx.x] = 1;
}

__global__ void not_initialised(u32* log) {
    __shared__ u64 barrier;
    log[threadIdx.x] = (u32)arrive(&barrier);  // nobody has
}
