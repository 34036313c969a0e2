/* What a generated kernel and the runtime share: the state of a launch, a block and a warp, and the memory macros.
 *
 * A kernel becomes one C function that runs one warp until it ends, waits or has used its quantum. Each lane has its own
 * program counter (a segment's number); a segment runs for every lane of `mask`, one lane after the other, which is one
 * of the orders that independent thread scheduling allows. Compiled with TRACE=1 it reports every access.
 */
#ifndef SIM_H
#define SIM_H
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;   typedef int8_t s8;
typedef uint16_t u16; typedef int16_t s16;
typedef uint32_t u32; typedef int32_t s32;
typedef uint64_t u64; typedef int64_t s64;
typedef unsigned __int128 u128;
typedef float f32;    typedef double f64;

#include "cache.h"

enum { SIM_DONE = -1, SIM_WAIT = -2, SIM_YIELD = -3, SIM_STOP = -4 };
enum { SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST, SPACE_PARAM, SPACE_GENERIC };
enum { OP_LOAD, OP_STORE, OP_ATOMIC, OP_BARRIER, OP_COLLECTIVE, OP_FENCE, OP_OTHER };
/* Volatile, relaxed, acquire or release: no race with another such access; one that releases by itself; a load that takes
 * nothing from L1; a __syncwarp, which orders memory as no other collective does; volatile, no hand-over in shared memory;
 * a store whose bytes come later (async.c); an atomic whose lanes cost no more than one where they meet;
 * ldmatrix or stmatrix, which take a pass for each matrix of eight rows; and an instruction of a header, not of the
 * kernel's own text. */
enum { SITE_STRONG = 1, SITE_RELEASE = 2, SITE_PAST_L1 = 4, SITE_ORDERS = 8, SITE_VOLATILE = 16, SITE_LATE = 32,
    SITE_COMBINED = 64, SITE_MATRIX = 128, SITE_FOREIGN = 256 };

/* Generic addresses: global memory is where it is; the other spaces lie in windows no host address reaches. */
#define WINDOW_SHARED 0x1000000000000000ull
#define WINDOW_LOCAL  0x2000000000000000ull
#define WINDOW_PARAM  0x3000000000000000ull
#define WINDOW_OF(a) ((a) & 0xf000000000000000ull)
#define PARAM_BYTES 32768               /* of a kernel's arguments; what lies past the last is zero */
#define POISON 0x7fbadbad7fbadbadull  /* what a refused read yields: a NaN as float and as double */

typedef struct { u16 space, op, size, flags; s32 line; } Site;

typedef struct {
    u64 requests, lanes, bytes, sectors, ideal_sectors, wavefronts, ideal_wavefronts, collisions, worst_collision,
        l1_missed, dram_bytes, local_sectors,
        warp_words, again_words, met_words,  /* see reuse.c */
        waited;  /* of a barrier: instructions that its warps might have issued while they waited there */
} SiteCost;

/* The request of a site that needs most beyond its ideal: sectors of global, wavefronts of shared memory. `mask` is 0
 * while there was none. */
typedef struct { u64 addresses[32]; u64 block; u32 mask, warp, space, units, ideal; } WorstRequest;

typedef struct { u64 executions, lanes; } SegmentCost;

/* Who accessed a granule of memory, for race detection (races.c). A stamp names a block's time between two barriers. */
enum { CROWD_ONE, CROWD_LANES, CROWD_WARPS, CROWD_SET };
typedef struct { u32 stamp, tick; u16 thread : 10, form : 2, strong : 1; u16 site; } Access;
typedef struct { Access last; u32 rest; } Crowd;  /* `rest` by form: lanes; thread and site of another warp; two rows */
typedef struct { Access write; Crowd readers; u32 rare; } Cell;
typedef struct { Crowd atomics; Access foreign; u32 cell; } Rare;
#define HANDED 64

typedef struct { u64 start, size; } Buffer;
typedef struct { u32 kind, site, other_site, thread, other_thread, flags; u64 block, other_block, address, extra; } Fault;

struct Launch; struct Block; struct Warp;
typedef int (*WarpFunction)(struct Warp *);

typedef struct Sim {
    u8 *arena; u64 arena_bytes;
    Buffer *buffers; u32 buffer_count;  /* sorted by start */
    u32 hints[64];                      /* by site: the buffer that an access last met */
    u8 *initialised;                    /* a byte per byte of the arena, or null: not tracked */
    u8 *touched;                        /* a byte per sector of the arena, or null */
    Cell *cells; u32 cell_shift;        /* null: global races are not looked for */
    u32 stamp, first_stamp;
    u64 *stamp_block; u32 stamp_room;
    u32 *release_time, *acquire_time; u64 order_room;  /* by block, as stamps; see trace.c */
    Fault faults[512]; u32 fault_count; u32 fault_kinds[32]; u32 faults_a_kind;
    char *text; u64 text_used, text_limit; u32 text_cut;
    s64 steps;                          /* loop iterations of warps, barriers and blocks left: then a run is endless */
    u64 cpu_limit_ns;                   /* of this thread's processor time, as the clock shows it; 0: no limit */
    u32 turns;
    u32 schedule; u64 random;
    Card card; Traffic traffic; void *caches;
    void *pool; u64 pool_count;
    u32 stopped;
    u64 clock;
    u32 first_fault;                    /* of the launch under way */
    u64 unstarted;                      /* blocks that have not begun while several wait for each other */
    Rare *rares; u32 rare_count, rare_room;  /* what some cells have besides */
    u64 *reach;                         /* by buffer: one past the last byte that was accessed; or null */
} Sim;

typedef struct Launch {
    Sim *sim;
    WarpFunction plain, traced;
    const Site *sites; SiteCost *costs; SegmentCost *segments; const u32 *segment_instructions;
    u32 grid[3], block[3];
    u32 shared_bytes, dynamic_shared, static_shared, register_bytes, local_bytes;
    const u8 *params; const u64 *symbols;
    u32 trace_every, cooperative, check_shared;
    u32 cluster[3];
    u32 shared_shift;
    u32 crosses;                        /* warps of a block can be ordered by other means than its barriers */
    u32 l1_bytes, resident;             /* of one multiprocessor: L1 cache, and blocks of this launch at once */
    u64 envreg;
    /* filled by the run, from traced blocks only */
    u64 traced_blocks, traced_warps, warp_instructions, thread_instructions, warp_max, block_max;
    u64 barriers, barrier_slots, barrier_lost;
    const u32 *gaps; u32 gap_count;     /* first and one past the last byte between two shared arrays */
    WorstRequest *worst;                /* by site, or null: not kept */
    u64 begun;                          /* traced blocks of the launch under way */
} Launch;

typedef struct { u32 arrived, expected, first_site, mixed, red_and, red_or, red_popc, known, first_thread, mixed_thread; } Barrier;

typedef struct Block {
    Launch *launch; Sim *sim;
    u64 index; u32 id[3];
    u8 *shared; u8 *shared_init; Cell *shared_cells; Rare *shared_rares;
    struct Warp *warps; u32 warp_count, thread_count, exited;
    Barrier barriers[16];
    u32 stamp, is_traced;
    /* What threads know of each other since the last barrier; see races.c. */
    u32 *rows; u64 rows_room; u32 row_size, row_count, free_row, is_blind, handed[HANDED];
    u64 red_result[16];
    WarpFunction run;
    struct Copies *copies;              /* under way; see async.c */
    struct Reads *reads;                /* of global memory; see reuse.c */
    u64 ordinal; u32 window, place;     /* see cache.c */
} Block;

typedef struct Warp {
    Block *block; Sim *sim; Launch *launch;
    u32 index, exists, live, waiting, blocked, force, down;
    s32 other;
    s64 quantum, granted;
    u32 pc[32];
    u8 barrier_of[32];
    /* Since the block's last barrier: the time, when each lane last met all of its warp and fenced, and its row. */
    u32 tick, joined[32], fenced_at[32], row[32];
    u32 tid[3][32];
    u64 instructions, instructions_at_barrier, thread_instructions;
    u32 spins, fenced;
    u32 picked[32], picks;              /* turns of its lanes while it spins */
    void *regs; u8 *local; u32 local_bytes;
    u32 pending_site;
} Warp;

/* runtime.c */
int rt_pick(Warp *w, u32 *mask, s32 *other);
u32 rt_collect(Warp *w, u32 mask, u32 pc, const u32 *members, u32 site);
void rt_barrier(Warp *w, u32 mask, u32 pc_after, u32 id, u32 count, u32 site);
void rt_barrier_arrive(Warp *w, u32 mask, u32 id, u32 count, u32 site);
void rt_barrier_red(Warp *w, u32 mask, u32 id, const u32 *values);
void rt_fault(Warp *w, u32 kind, u32 site, u32 lane, u64 address, u64 extra);
void rt_exit(Warp *w, u32 mask);
void rt_trap(Warp *w, u32 mask, u32 site, u32 kind);
u8 *rt_refused(void);
u8 *rt_at(Warp *w, u32 space, u32 site, u32 lane, u64 address, u32 size);
u8 *rt_at_traced(Warp *w, u32 space, u32 site, u32 lane, u64 address, u32 size);
u32 rt_vprintf(Warp *w, u32 lane, u32 site, u64 format, u64 arguments);
void rt_assert(Warp *w, u32 lane, u32 site, u64 message, u64 file, u32 line);
/* memory.c */
const Buffer *rt_buffer(Sim *s, u32 site, u64 address);
/* limits.c */
u32 rt_is_used_up(Warp *w);
/* trace.c */
void rt_trace(Warp *w, u32 site, u32 mask, const u64 *addresses, u32 same);

#define BIT(lane) (1u << (lane))
#define FOR_LANES(m) for (u32 m_ = (m), lane; m_ && (lane = w->down ? 31 - __builtin_clz(m_) : __builtin_ctz(m_), 1); m_ &= ~BIT(lane))

/* Going to segment `x` from segment `me`: at once while no other lane waits for us to come by, else by way of rt_pick. */
#define PARK(m, x) do { for (u32 p_ = (m); p_; p_ &= p_ - 1) w->pc[__builtin_ctz(p_)] = (x); } while (0)
#define GO(me, x) do { if ((x) > (me)) { if ((s32)(x) < other) goto S_##x; PARK(mask, x); goto dispatch; } \
        if (--w->quantum < 0) { PARK(mask, x); return SIM_YIELD; } \
        if ((s32)(x) < other) goto S_##x; PARK(mask, x); goto dispatch; } while (0)

/* Whether [a, a + size) lies in [0, room), for any `a`: also one so large that the sum wraps. */
#define INSIDE(a, size, room) ((u64)(a) < (u64)(room) && (u64)(a) + (size) <= (u64)(room))

#if TRACE
#define ENTER(n) do { launch->segments[n].executions++; launch->segments[n].lanes += __builtin_popcount(mask); \
        w->instructions += launch->segment_instructions[n]; \
        w->thread_instructions += (u64)launch->segment_instructions[n] * __builtin_popcount(mask); } while (0)
#define NOTE(k, a) (A_##k[lane] = (a), M_##k |= BIT(lane))
/* A refused access is not noted and reaches a scratch place. */
#define NOTED(k, a, pointer) ({ u8 *q_ = (pointer); if (q_) NOTE(k, a); else q_ = rt_refused(); q_; })
#define AT(space, k, a, size) ({ u64 at_ = (a); NOTED(k, at_, rt_at_traced(w, space, k, lane, at_, size)); })
#define SITE(k) u64 A_##k[32]; u32 M_##k = 0, V_##k = 0
#define REPORT(k) do { if (M_##k) rt_trace(w, k, M_##k, A_##k, V_##k); } while (0)
#define SAME(k, p, type, value) ({ type v_ = (value); !memcmp((p), &v_, sizeof v_); })
#define SAME_ALL(k, test) do { if (test) V_##k |= BIT(lane); } while (0)
#define FENCE(k) NOTE(k, 0)
#define ALIGNED(a, size) (!((a) & ((size) - 1)))
#define REFUSABLE(space, k, a, size) ({ u8 *q_ = rt_at_traced(w, space, k, lane, a, size); q_ ? q_ : rt_refused(); })
#define HINTED(k, at, n) ({ const Buffer *b_ = &w->sim->buffers[w->sim->hints[(k) & 63]]; INSIDE((at) - b_->start, n, b_->size) && ALIGNED(at, n); })
#define GLOBAL_AT(k, a, n) ({ u64 at_ = (a); NOTED(k, at_, HINTED(k, at_, n) ? (u8 *)at_ : rt_at_traced(w, SPACE_GLOBAL, k, lane, at_, n)); })
#define CONST_AT(k, a, n) ({ u64 at_ = (a); HINTED(k, at_, n) ? (u8 *)at_ : REFUSABLE(SPACE_CONST, k, at_, n); })
#define SHARED_AT(k, a, size) ({ u64 at_ = (u32)(a); NOTED(k, at_, at_ + (size) <= shared_bytes && !(at_ & ((size) - 1)) \
            && !IN_GAP(at_) ? shared + at_ : rt_at_traced(w, SPACE_SHARED, k, lane, at_, size)); })
#define LOCAL_AT(k, a, size) ({ u64 at_ = (a); NOTED(k, at_, INSIDE(at_, size, local_bytes) && ALIGNED(at_, size) \
            ? w->local + (u64)lane * local_bytes + at_ : rt_at_traced(w, SPACE_LOCAL, k, lane, at_, size)); })
#else
#define ENTER(n) ((void)0)
#define SITE(k) ((void)0)
#define REPORT(k) ((void)0)
#define SAME(k, p, type, value) 0
#define SAME_ALL(k, test) ((void)0)
#define FENCE(k) ((void)0)
#define ALIGNED(a, size) 1
#define REFUSABLE(space, k, a, size) rt_at(w, space, k, lane, a, size)
#define CONST_AT GLOBAL_AT
#define AT(space, k, a, size) rt_at(w, space, k, lane, a, size)
/* A plain run stays inside the arena, though perhaps not inside the right buffer: only a traced run tells. */
#define GLOBAL_AT(k, a, size) ((u64)(a) - arena <= arena_span - (size) ? (u8 *)(u64)(a) : rt_at(w, SPACE_GLOBAL, k, lane, a, size))
#define SHARED_AT(k, a, size) ((u64)(u32)(a) + (size) <= shared_bytes ? shared + (u32)(a) : rt_at(w, SPACE_SHARED, k, lane, (u32)(a), size))
#define LOCAL_AT(k, a, size) ({ u64 at_ = (a); INSIDE(at_, size, local_bytes) && ALIGNED(at_, size) ? w->local + (u64)lane * local_bytes + at_ : REFUSABLE(SPACE_LOCAL, k, at_, size); })
#endif
#define PARAM_AT(k, a, size) ({ u64 at_ = (a); INSIDE(at_, size, PARAM_BYTES) ? (u8 *)params + at_ : rt_at(w, SPACE_PARAM, k, lane, at_, size); })
#define GENERIC_AT(k, a, size) AT(SPACE_GENERIC, k, a, size)
#define LOAD(type, p) ({ type v_; memcpy(&v_, (p), sizeof v_); v_; })
#define STORE(type, p, value) do { type v_ = (value); memcpy((p), &v_, sizeof v_); } while (0)

#endif
