/* Copies to shared memory that land later than they are issued, and the mbarriers that threads wait at.
 *
 * A copy reads its source when it is issued. It lands when its thread waits for its group, or when any thread of the
 * block asks an mbarrier that it arrives at; until then the old bytes are there. A copy that nobody waits for never
 * lands: a kernel that reads it would be wrong on a GPU too, though perhaps unseen.
 *
 * An mbarrier is 64 bits of our own: arrivals still missing in this phase (bits 0 to 19), arrivals a phase (20 to 39),
 * bytes of bulk copies still missing (40 to 60, signed), and the phase (61).
 */
#include <stdlib.h>
#include "sim.h"
#include "faults.h"
#include "warp.h"

enum { ASYNC_COPY, ASYNC_BULK, ASYNC_ARRIVE, ASYNC_TRANSFER };  /* what an entry of a queue stands for */
enum { MOST_ENTRIES = 1 << 16 };        /* of a warp; then the oldest land, as they may on a GPU */
enum { ARRIVE_DROPS = 1, ARRIVE_STAYS_OPEN = 2, ARRIVE_EXPECTS = 4 };  /* as in async_ops.py */
enum { FAILED_WAIT_STEPS = 50 };

typedef struct { u8 *to; u8 data[16]; u32 group, site; u8 kind, lane, size; s32 count; } AsyncCopy;
typedef struct { AsyncCopy *entries; u32 count, room; u32 groups[32]; } AsyncQueue;
typedef struct Copies { u32 settling, warps; AsyncQueue queues[]; } Copies;

static AsyncQueue *queue_of(Warp *w) {
    Block *b = w->block;
    if (!b->copies) {
        b->copies = calloc(1, sizeof(Copies) + b->warp_count * sizeof(AsyncQueue));
        if (!b->copies) { w->sim->stopped = 1; return NULL; }
        b->copies->warps = b->warp_count;
    }
    return &b->copies->queues[w->index];
}

void rt_drop_copies(Block *b) {
    for (u32 i = 0; b->copies && i < b->copies->warps; i++) free(b->copies->queues[i].entries);
    free(b->copies);
    b->copies = NULL;
}

static void land_copy(Warp *w, const AsyncCopy *e) {
    u64 offset = (u64)(e->to - w->block->shared);
    if (offset >= w->launch->shared_bytes) return;  /* a refused address */
    memcpy(e->to, e->data, e->size);
    if (w->block->is_traced) rt_check(w, e->site, e->lane, offset, 1);
}

static void put_copy(Warp *w, AsyncCopy entry) {
    AsyncQueue *q = queue_of(w);
    if (!q) return;
    if (q->count == MOST_ENTRIES) rt_copies_settle(w);
    if (q->count == MOST_ENTRIES) rt_copies_wait(w, ~0u, 0, 1);
    if (q->count == q->room) {
        u32 room = q->room ? 2 * q->room : 64;
        AsyncCopy *more = realloc(q->entries, room * sizeof *more);
        if (!more) { w->sim->stopped = 1; return; }
        q->entries = more; q->room = room;
    }
    entry.group = q->groups[entry.lane];
    if (entry.kind != ASYNC_COPY) w->block->copies->settling++;
    q->entries[q->count++] = entry;
}

void rt_copy(Warp *w, u32 lane, u32 site, u8 *to, const u8 *from, u32 size) {
    AsyncCopy e = {.to = to, .site = site, .kind = ASYNC_COPY, .lane = (u8)lane, .size = (u8)size};
    memcpy(e.data, from, size);
    put_copy(w, e);
}

void rt_copies_commit(Warp *w, u32 lane) {
    AsyncQueue *q = queue_of(w);
    if (q) q->groups[lane]++;
}

/* The lanes of `mask` wait until at most `pending` of their groups are under way; with `all`, for copies of no group too. */
void rt_copies_wait(Warp *w, u32 mask, u32 pending, u32 all) {
    if (!w->block->copies) return;
    AsyncQueue *q = queue_of(w);
    u32 kept = 0;
    for (u32 i = 0; i < q->count; i++) {
        AsyncCopy *e = &q->entries[i];
        u32 is_over = all || (u64)e->group + pending < q->groups[e->lane];
        if (e->kind == ASYNC_COPY && mask >> e->lane & 1 && is_over) land_copy(w, e);
        else q->entries[kept++] = *e;
    }
    q->count = kept;
}

/* ---- mbarriers ---- */

static u32 missing(u64 v) { return (u32)v & 0xfffff; }
static u32 expected(u64 v) { return (u32)(v >> 20) & 0xfffff; }
static s32 transfer(u64 v) { return (s32)((u32)(v >> 40) << 11) >> 11; }
static u64 pack_mbarrier(u32 left, u32 all, s32 bytes, u32 phase) {
    return (left & 0xfffff) | (u64)(all & 0xfffff) << 20 | ((u64)(u32)bytes & 0x1fffff) << 40 | (u64)(phase & 1) << 61;
}

u64 rt_mbarrier_start(u32 count) { return pack_mbarrier(count, count, 0, 0); }
u32 rt_mbarrier_phase(u64 v) { return (u32)(v >> 61) & 1; }
u32 rt_mbarrier_pending(u64 v) { return missing(v); }

static void store_mbarrier(u8 *at, u32 left, u32 all, s32 bytes, u32 phase) {
    u64 v = left || bytes ? pack_mbarrier(left, all, bytes, phase) : pack_mbarrier(all, all, 0, phase ^ 1);
    memcpy(at, &v, 8);
}

void rt_mbarrier_expect(u8 *at, s32 bytes) {
    u64 v = LOAD(u64, at);
    store_mbarrier(at, missing(v), expected(v), transfer(v) + bytes, rt_mbarrier_phase(v));
}

u64 rt_mbarrier_arrive(Warp *w, u32 lane, u32 site, u8 *at, u32 count, s32 bytes, u32 flags) {
    u64 v = LOAD(u64, at);
    u32 left = missing(v), all = expected(v);
    if (count > left || (flags & ARRIVE_STAYS_OPEN && count == left)) {
        rt_fault(w, FAULT_TOO_MANY_ARRIVE, site, lane, 0, all);
        count = left;
    }
    if (flags & ARRIVE_DROPS) all -= count;
    store_mbarrier(at, left - count, all, transfer(v) + (flags & ARRIVE_EXPECTS ? bytes : 0), rt_mbarrier_phase(v));
    return v;
}

/* Whether the phase of parity `phase` is over. A thread that has to wait gives way to those it waits for. */
u32 rt_mbarrier_is_over(Warp *w, const u8 *at, u32 phase) {
    if (rt_mbarrier_phase(LOAD(u64, at)) != phase) return 1;
    rt_give_way(w);
    return 0;
}

void rt_give_way(Warp *w) {
    if (w->quantum <= 0) return;
    w->granted += FAILED_WAIT_STEPS - w->quantum;
    w->quantum = 0;
}

/* ---- copies that an mbarrier tells of ---- */

/* The mbarrier hears of the lane's copies when they land. Without `is_counted` they count as an arrival of their own. */
void rt_copies_arrive(Warp *w, u32 lane, u32 site, u8 *at, u32 is_counted) {
    u64 v = LOAD(u64, at);
    if (!is_counted) { v = pack_mbarrier(missing(v) + 1, expected(v), transfer(v), rt_mbarrier_phase(v)); memcpy(at, &v, 8); }
    put_copy(w, (AsyncCopy){.to = at, .site = site, .kind = ASYNC_ARRIVE, .lane = (u8)lane});
}

void rt_copy_bulk(Warp *w, u32 lane, u32 site, u32 from_site, u32 at_site, u64 to, u64 from, u32 size, u8 *at) {
    to &= ~0xf000000000000000ull;
    if (size & 15) { rt_fault(w, FAULT_MISALIGNED, site, lane, to + size, 16); size &= ~15u; }
    for (u32 i = 0; i < size; i += 16) {
        u8 *there = rt_at_traced(w, SPACE_SHARED, site, lane, to + i, 16);
        u8 *here = there ? rt_at_traced(w, SPACE_GLOBAL, from_site, lane, from + i, 16) : NULL;
        if (!here) break;
        AsyncCopy e = {.to = there, .site = site, .kind = ASYNC_BULK, .lane = (u8)lane, .size = 16};
        memcpy(e.data, here, 16);
        if (w->block->is_traced) { rt_check(w, from_site, lane, from + i, 0); rt_check(w, site, lane, to + i, 0); }
        put_copy(w, e);
    }
    put_copy(w, (AsyncCopy){.to = at, .site = at_site, .kind = ASYNC_TRANSFER, .lane = (u8)lane, .count = (s32)size});
}

static void settle_queue(Warp *w, AsyncQueue *q) {
    u32 last[32] = {0}, kept = 0;  /* by lane: one past its last arrival */
    for (u32 i = 0; i < q->count; i++) if (q->entries[i].kind == ASYNC_ARRIVE) last[q->entries[i].lane] = i + 1;
    for (u32 i = 0; i < q->count; i++) {
        AsyncCopy *e = &q->entries[i];
        if (e->kind == ASYNC_BULK || (e->kind == ASYNC_COPY && i < last[e->lane])) land_copy(w, e);
    }
    for (u32 i = 0; i < q->count; i++) {
        AsyncCopy *e = &q->entries[i];
        if (e->kind == ASYNC_ARRIVE || e->kind == ASYNC_TRANSFER) {
            if (w->block->is_traced) rt_release(w, e->site, e->lane, (u64)(e->to - w->block->shared));
            if (e->kind == ASYNC_ARRIVE) rt_mbarrier_arrive(w, e->lane, e->site, e->to, 1, 0, 0);
            else rt_mbarrier_expect(e->to, -e->count);
        }
        else if (e->kind == ASYNC_COPY && i >= last[e->lane]) q->entries[kept++] = *e;
    }
    q->count = kept;
}

/* Lands the copies of the block that an mbarrier tells of. */
void rt_copies_settle(Warp *w) {
    Block *b = w->block;
    if (!b->copies || !b->copies->settling) return;
    b->copies->settling = 0;
    for (u32 i = 0; i < b->warp_count; i++) settle_queue(&b->warps[i], &b->copies->queues[i]);
}
