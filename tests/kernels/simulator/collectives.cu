// Each warp operation as one instruction, with masks and operands from outside, and in parts of a warp that diverge.
typedef unsigned u32;
typedef unsigned long long u64;

// Lanes run in groups: those with the same `group` do it together, and name just each other. Group 7 stays away.
#define IN_GROUPS(body)                                                   \
    u32 t = threadIdx.x, g = group[t], mine = 0;                          \
    for (int i = 0; i < 32; i++) mine |= u32(group[i] == g) << i;         \
    if (g == 0) { body } else if (g == 1) { body } else if (g == 2) { body }

__global__ void shuffles(const u32* group, const u32* x, const u32* b, const u32* c, u32* y, u32* p) {
    u32 v = x[threadIdx.x], at = b[threadIdx.x], clamp = c[threadIdx.x];
    IN_GROUPS(
        u32 r[4]; u32 q[4];
        asm volatile("{ .reg .pred s; shfl.sync.up.b32 %0|s, %2, %3, %4, %5; selp.u32 %1, 1, 0, s; }" : "=r"(r[0]), "=r"(q[0]) : "r"(v), "r"(at), "r"(clamp & 0x1f00), "r"(mine));
        asm volatile("{ .reg .pred s; shfl.sync.down.b32 %0|s, %2, %3, %4, %5; selp.u32 %1, 1, 0, s; }" : "=r"(r[1]), "=r"(q[1]) : "r"(v), "r"(at), "r"(clamp), "r"(mine));
        asm volatile("{ .reg .pred s; shfl.sync.bfly.b32 %0|s, %2, %3, %4, %5; selp.u32 %1, 1, 0, s; }" : "=r"(r[2]), "=r"(q[2]) : "r"(v), "r"(at), "r"(clamp), "r"(mine));
        asm volatile("{ .reg .pred s; shfl.sync.idx.b32 %0|s, %2, %3, %4, %5; selp.u32 %1, 1, 0, s; }" : "=r"(r[3]), "=r"(q[3]) : "r"(v), "r"(at), "r"(clamp), "r"(mine));
        for (int i = 0; i < 4; i++) { y[32 * i + t] = r[i]; p[32 * i + t] = q[i]; }
    )
}

__global__ void votes(const u32* group, const u32* x, u32* y) {
    u32 v = x[threadIdx.x];
    IN_GROUPS(
        u32 uniform;
        asm volatile("{ .reg .pred s; setp.ne.u32 s, %1, 0; vote.sync.uni.pred s, s, %2; selp.u32 %0, 1, 0, s; }" : "=r"(uniform) : "r"(v), "r"(mine));
        y[t] = __ballot_sync(mine, v);
        y[32 + t] = __any_sync(mine, v) + 2 * __all_sync(mine, v) + 4 * uniform;
    )
}

__global__ void matches(const u32* group, const u32* x, u32* y) {
    u32 v = x[threadIdx.x];
    IN_GROUPS(
        int every; int wide;
        y[t] = __match_any_sync(mine, v);
        y[32 + t] = __match_all_sync(mine, v, &every);
        y[64 + t] = every;
        y[96 + t] = __match_any_sync(mine, (u64)v << 32 | 5);
        y[128 + t] = __match_all_sync(mine, (u64)v << 40, &wide) + wide;
    )
}

__global__ void reductions(const u32* group, const u32* x, u32* y) {
    u32 v = x[threadIdx.x];
    IN_GROUPS(
        y[t] = __reduce_add_sync(mine, v);
        y[32 + t] = __reduce_min_sync(mine, v);
        y[64 + t] = __reduce_max_sync(mine, v);
        y[96 + t] = __reduce_min_sync(mine, (int)v);
        y[128 + t] = __reduce_max_sync(mine, (int)v);
        y[160 + t] = __reduce_and_sync(mine, v);
        y[192 + t] = __reduce_or_sync(mine, v);
        y[224 + t] = __reduce_xor_sync(mine, v);
    )
}

__global__ void elected(const u32* group, u32* y) {
    IN_GROUPS(
        u32 leader; u32 is_me;
        asm volatile("{ .reg .pred s; elect.sync %0|s, %2; selp.u32 %1, 1, 0, s; }" : "=r"(leader), "=r"(is_me) : "r"(mine));
        y[t] = leader;
        y[32 + t] = is_me;
    )
}

// ---- where CUDA says undefined ----

__global__ void left_out(u32* y) { y[threadIdx.x] = __shfl_sync(0xfffffffeu, threadIdx.x, 1); }  // lane 0
__global__ void gone(u32* y) {
    if (threadIdx.x == 3) return;
    y[threadIdx.x] = __ballot_sync(~0u, 1);  // lane 3 has left
}
__global__ void elsewhere(u32* y) {
    if (threadIdx.x < 16)
        y[threadIdx.x] = __reduce_add_sync(~0u, 1);  // the others never come
    else
        y[threadIdx.x] = 7;
}
__global__ void masks_differ(u32* y) {
    y[threadIdx.x] = __any_sync(threadIdx.x & 1 ? ~0u : 0x55555555u, 1);  // two masks
}
__global__ void never_together(u32* y) {
    if (threadIdx.x < 16)
        y[threadIdx.x] = __shfl_sync(0xffffu, threadIdx.x, 3);
    else
        y[threadIdx.x] = __shfl_sync(0xffff0000u, threadIdx.x, 19);
}
__global__ void from_outside(u32* y) {
    if (threadIdx.x < 16) y[threadIdx.x] = __shfl_sync(0xffffu, 5, 20);
}

// ---- barriers ----

__global__ void counted(u32* y) {  // warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2
    __shared__ u32 tile[128];
    int t = threadIdx.x, pair = t / 64;
    tile[t] = t;
    asm volatile("bar.sync %0, 64;" ::"r"(1 + pair) : "memory");
    y[t] = tile[pair * 64 + 63 - t % 64];
}

__global__ void handed_on(u32* y) {  // producers arrive, consumers wait
    __shared__ u32 tile[64];
    int t = threadIdx.x;
    if (t < 64) {
        tile[t] = t + 1;
        asm volatile("bar.arrive 3, 128;" ::: "memory");
    } else {
        asm volatile("bar.sync 3, 128;" ::: "memory");
        y[t - 64] = tile[127 - t];
    }
}

__global__ void answers(const u32* x, u32* y) {
    int t = threadIdx.x;
    y[t] = __syncthreads_count(x[t] & 1);
    y[96 + t] = __syncthreads_and(x[t] & 2) != 0;
    y[192 + t] = __syncthreads_or(x[t] & 4) != 0;
    u32 few;
    asm volatile("{ .reg .pred s; setp.ne.u32 s, %1, 0; barrier.red.popc.u32 %0, 5, 96, s; }" : "=r"(few) : "r"(x[t] & 8));
    y[288 + t] = few;
}

__global__ void __cluster_dims__(2, 1, 1) two_blocks(u32* y) { y[threadIdx.x] = 1; }

__global__ void of_a_cluster(u32* y) {
    __shared__ u32 tile[64];
    int t = threadIdx.x;
    tile[t] = t;
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    u32 own = (u32)__cvta_generic_to_shared(tile), there, rank;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(own));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(there));
    y[t] = tile[63 - t] + (there == own) * 100 + rank * 1000;
}
