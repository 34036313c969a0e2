/* The scheduler: blocks, warps, lanes, barriers and warp collectives, and the text that kernels print.
 * It does not look at what accesses cost or whether they race (trace.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include "sim.h"
#include "faults.h"
#include "races.h"
#include "warp.h"

enum { SCHEDULE_FORWARD, SCHEDULE_REVERSE, SCHEDULE_SHUFFLED };
#define QUANTUM 20000          /* loop iterations a warp runs before others get a turn */
#define RESIDENT 64            /* blocks that may be under way at once when one waits for another */

static u64 next_random(Sim *s) {
    s->random ^= s->random << 13; s->random ^= s->random >> 7; s->random ^= s->random << 17;
    return s->random;
}

static s32 line_of(Warp *w, u32 site) { return site == NONE ? 0 : w->launch->sites[site].line; }

void rt_fault_full(Warp *w, u32 kind, u32 site, u32 thread, u64 address, u64 extra, u32 other_site, u32 other_thread,
                   u64 other_block, u32 flags) {
    Sim *s = w->sim;
    if (s->fault_kinds[kind] >= s->faults_a_kind || s->fault_count >= 512) return;
    for (u32 i = s->first_fault; i < s->fault_count; i++)  /* one report for each pair of lines: loops are unrolled */
        if (s->faults[i].kind == kind && s->faults[i].flags == flags && line_of(w, s->faults[i].site) == line_of(w, site)
            && line_of(w, s->faults[i].other_site) == line_of(w, other_site)) return;
    s->fault_kinds[kind]++;
    s->faults[s->fault_count++] = (Fault){kind, site, other_site, thread, other_thread, flags, w->block->index,
                                         other_block, address, extra};
}

void rt_fault(Warp *w, u32 kind, u32 site, u32 lane, u64 address, u64 extra) {
    rt_fault_full(w, kind, site, w->index * 32 + lane, address, extra, NONE, NONE, 0, 0);
}

/* ---- lanes ---- */

static s32 lowest(Warp *w, u32 lanes, u32 last) {
    s32 found = last ? -1 : INT32_MAX;
    for (u32 m = lanes; m; m &= m - 1) {
        s32 pc = (s32)w->pc[__builtin_ctz(m)];
        if (last ? pc > found : pc < found) found = pc;
    }
    return found;
}

/* The lane that has not been picked for the longest time. */
static u32 least_recent(Warp *w, u32 lanes) {
    u32 found = __builtin_ctz(lanes);
    for (u32 m = lanes; m; m &= m - 1) if (w->picked[__builtin_ctz(m)] < w->picked[found]) found = __builtin_ctz(m);
    return found;
}

int rt_pick(Warp *w, u32 *mask, s32 *other) {
    u32 ready = w->live & ~w->waiting & ~w->blocked;
    if (w->sim->stopped) return SIM_STOP;
    if (!ready) {
        if (!w->blocked) return w->live ? SIM_WAIT : SIM_DONE;
        ready = w->blocked;  /* the lanes it waits for will never come */
        w->force = 1;
    }
    u32 last = w->sim->schedule == SCHEDULE_REVERSE;
    /* Parts of the warp that keep looping (a spin lock) give way to those they may be waiting for: all take turns. */
    s32 pc = w->spins ? (s32)w->pc[least_recent(w, ready)] : lowest(w, ready, last);
    u32 group = 0;
    u32 all = w->live & ~w->waiting;
    for (u32 m = all; m; m &= m - 1) if ((s32)w->pc[__builtin_ctz(m)] == pc) group |= m & -m;
    w->blocked &= ~group;
    *mask = group;
    u32 rest = all & ~group;
    if (rest && w->quantum > QUANTUM / 4) { w->granted -= w->quantum - QUANTUM / 4; w->quantum = QUANTUM / 4; }
    if (w->spins) for (u32 now = ++w->picks, m = group; m; m &= m - 1) w->picked[__builtin_ctz(m)] = now;
    *other = !rest ? INT32_MAX : last || w->spins ? 0 : lowest(w, rest, 0);
    return pc;
}

void rt_exit(Warp *w, u32 mask) {
    w->live &= ~mask;
    w->block->exited += __builtin_popcount(mask);
}

void rt_trap(Warp *w, u32 mask, u32 site, u32 kind) {
    rt_fault(w, kind, site, __builtin_ctz(mask), 0, 0);
    w->sim->stopped = 1;
}

/* The lanes of `mask` that name the same partners as `lane` does. */
static u32 alike(u32 mask, const u32 *members, u32 lane) {
    u32 found = 0;
    for (u32 m = mask; m; m &= m - 1) if (members[__builtin_ctz(m)] == members[lane]) found |= m & -m;
    return found;
}

/* The lanes of `mask` that may go on with a collective: those whose partners are all here and name the same partners.
 * The others wait at `pc`. */
u32 rt_collect(Warp *w, u32 mask, u32 pc, const u32 *members, u32 site) {
    u32 ready = 0, group = 0, leader = 0;
    for (u32 m = mask; m; m &= m - 1) {
        u32 lane = __builtin_ctz(m), needed = members[lane] & w->live;
        if (!group || members[lane] != members[leader]) { group = alike(mask, members, lane); leader = lane; }
        if (members[lane] & w->exists & ~w->live)
            rt_fault(w, FAULT_EXITED_LANE, site, lane, __builtin_ctz(members[lane] & w->exists & ~w->live), members[lane]);
        if (!(members[lane] >> lane & 1)) rt_fault(w, FAULT_NOT_A_MEMBER, site, lane, 0, members[lane]);
        if (!(needed & ~group)) ready |= BIT(lane);
    }
    if (w->force && !ready) {
        u32 lane = __builtin_ctz(mask), missing = members[lane] & w->live & ~alike(mask, members, lane);
        u32 other = __builtin_ctz(missing);
        rt_fault_full(w, FAULT_MISSING_LANE, site, w->index * 32 + lane, other, members[lane], NONE, w->index * 32 + other, w->block->index, w->pc[other]);
        ready = mask;
    }
    w->force = 0;
    u32 rest = mask & ~ready;
    for (u32 m = rest; m; m &= m - 1) w->pc[__builtin_ctz(m)] = pc;
    w->blocked |= rest;
    if (ready && w->launch->sites[site].flags & SITE_ORDERS) rt_met(w, ready, members);
    return ready;
}

/* ---- barriers ---- */

static void arrive(Warp *w, u32 mask, u32 id, u32 count, u32 site) {
    Barrier *b = &w->block->barriers[id & 15];
    u32 thread = w->index * 32 + __builtin_ctz(mask);
    if (!b->arrived) { b->first_site = site; b->first_thread = thread; b->mixed = NONE; b->red_and = 1; b->red_or = 0; b->red_popc = 0; }
    else if (w->launch->sites[b->first_site].line != w->launch->sites[site].line) { b->mixed = site; b->mixed_thread = thread; }
    b->arrived += __builtin_popcount(mask);
    b->expected = count;
}

void rt_barrier(Warp *w, u32 mask, u32 pc_after, u32 id, u32 count, u32 site) {
    arrive(w, mask, id, count, site);
    w->sim->steps--;
    w->waiting |= mask;
    w->pending_site = site;
    for (u32 m = mask; m; m &= m - 1) { u32 lane = __builtin_ctz(m); w->pc[lane] = pc_after; w->barrier_of[lane] = (u8)(id & 15); }
}

void rt_barrier_arrive(Warp *w, u32 mask, u32 id, u32 count, u32 site) {
    arrive(w, mask, id, count, site);
    rt_arrived(w, mask, id & 15);
}

void rt_barrier_red(Warp *w, u32 mask, u32 id, const u32 *values) {
    Barrier *b = &w->block->barriers[id & 15];
    for (u32 m = mask; m; m &= m - 1) {
        u32 v = values[__builtin_ctz(m)] != 0;
        b->red_and &= v; b->red_or |= v; b->red_popc += v;
    }
}

static void new_stamp(Block *b) {
    Sim *s = b->sim;
    if (!b->is_traced) return;
    rt_new_interval(b);
    b->stamp = ++s->stamp;
    if (s->stamp >= s->stamp_room) {
        u32 room = s->stamp_room * 2;
        u64 *more = realloc(s->stamp_block, room * sizeof *more);
        if (!more) { s->stopped = 1; return; }
        s->stamp_block = more; s->stamp_room = room;
    }
    s->stamp_block[s->stamp] = b->index;
}

static void weigh_barrier(Block *b, u32 site) {
    u64 most = 0, sum = 0;
    for (u32 i = 0; i < b->warp_count; i++) {
        Warp *w = &b->warps[i];
        u64 done = w->instructions - w->instructions_at_barrier;
        if (done > most) most = done;
        sum += done;
        w->instructions_at_barrier = w->instructions;
    }
    b->launch->barriers++;
    b->launch->barrier_slots += most * b->warp_count;
    b->launch->barrier_lost += most * b->warp_count - sum;
    b->launch->costs[site].waited += most * b->warp_count - sum;
}

static u32 first_exited(const Block *b) {
    for (u32 i = 0; i < b->warp_count; i++) {
        u32 gone = b->warps[i].exists & ~b->warps[i].live;
        if (gone) return i * 32 + __builtin_ctz(gone);
    }
    return NONE;
}

static void release(Block *b, u32 id) {
    Barrier *bar = &b->barriers[id];
    Warp *any = NULL; u32 any_lane = 0, threads = 0;
    for (u32 i = 0; i < b->warp_count; i++)
        for (u32 m = b->warps[i].waiting; m; m &= m - 1) threads += b->warps[i].barrier_of[__builtin_ctz(m)] == id;
    u32 is_whole = threads == b->thread_count - b->exited && !(bar->expected && b->exited);
    if (!is_whole) rt_released_some(b, id);
    for (u32 i = 0; i < b->warp_count; i++) {
        Warp *w = &b->warps[i];
        for (u32 m = w->waiting; m; m &= m - 1) {
            u32 lane = __builtin_ctz(m);
            if (w->barrier_of[lane] != id) continue;
            w->waiting &= ~BIT(lane);
            if (!any) { any = w; any_lane = lane; }
        }
    }
    if (any && !bar->expected) {
        if (b->exited) rt_fault_full(any, FAULT_EXITED_THREAD, bar->first_site, any->index * 32 + any_lane, b->exited, 0, NONE, first_exited(b), b->index, 0);
        if (bar->mixed != NONE)
            rt_fault_full(any, FAULT_TWO_BARRIERS, bar->first_site, bar->first_thread, 0, 0, bar->mixed, bar->mixed_thread, b->index, 0);
    }
    b->red_result[id] = bar->red_and | (u64)bar->red_or << 1 | (u64)bar->red_popc << 32;
    bar->arrived = 0;
    if (b->is_traced) weigh_barrier(b, bar->first_site);
    if (is_whole) new_stamp(b);
}

static u32 release_complete(Block *b) {
    u32 released = 0;
    for (u32 id = 0; id < 16; id++) {
        Barrier *bar = &b->barriers[id];
        if (!bar->arrived) continue;
        u32 needed = bar->expected ? bar->expected : b->thread_count - b->exited;
        if (bar->arrived >= needed) { release(b, id); released++; }
    }
    return released;
}

/* ---- blocks ---- */

typedef struct { Block block; u64 shared_room, warp_room, regs_room, local_room; u8 *regs, *local; } Slot;

static void *grow(void *old, u64 *room, u64 needed) {
    if (old && *room >= needed) return old;
    free(old);
    *room = needed;
    return aligned_alloc(64, (needed + 127) & ~63ull);
}

static Slot *slot_of(Sim *s, u32 index) {
    if (index >= s->pool_count) {
        u64 count = index + 1;
        Slot **more = realloc(s->pool, count * sizeof *more);
        if (!more) return NULL;
        for (u64 i = s->pool_count; i < count; i++) more[i] = calloc(1, sizeof(Slot));
        s->pool = more; s->pool_count = count;
    }
    return ((Slot **)s->pool)[index];
}

static void set_up_warp(Block *b, Warp *w, u32 index) {
    Launch *L = b->launch;
    memset(w, 0, sizeof *w);
    w->block = b; w->sim = b->sim; w->launch = L; w->index = index;
    u32 left = b->thread_count - index * 32;
    w->exists = w->live = left >= 32 ? ~0u : BIT(left) - 1;
    w->down = b->sim->schedule == SCHEDULE_REVERSE || (b->sim->schedule == SCHEDULE_SHUFFLED && (next_random(b->sim) >> 20 & 1));
    w->local_bytes = L->local_bytes;
    for (u32 lane = 0; lane < 32; lane++) {
        u32 t = index * 32 + lane;
        w->tid[0][lane] = t % L->block[0];
        w->tid[1][lane] = t / L->block[0] % L->block[1];
        w->tid[2][lane] = t / L->block[0] / L->block[1];
    }
}

static Slot *start_block(Launch *L, u64 index, u32 place) {
    Sim *s = L->sim;
    Slot *slot = slot_of(s, place);
    if (!slot) return NULL;
    Block *b = &slot->block;
    u32 threads = L->block[0] * L->block[1] * L->block[2], warps = (threads + 31) / 32;
    u64 granules = (L->shared_bytes >> L->shared_shift) + 1;
    u8 *shared = grow(b->shared, &slot->shared_room, L->shared_bytes * 2ull + 256 + granules * (sizeof(Cell) + sizeof(Rare)));
    Warp *old = b->warps;
    u32 *rows = b->rows; u64 rows_room = b->rows_room;
    struct Reads *reads = b->reads;
    memset(b, 0, sizeof *b);
    b->rows = rows; b->rows_room = rows_room; b->reads = reads;
    b->shared = shared;
    b->shared_cells = (Cell *)(shared + ((L->shared_bytes + 63) & ~63u));
    b->shared_rares = (Rare *)(b->shared_cells + granules);
    b->shared_init = (u8 *)(b->shared_rares + granules);
    b->warps = grow(old, &slot->warp_room, warps * sizeof(Warp));
    slot->regs = grow(slot->regs, &slot->regs_room, (u64)warps * L->register_bytes + 64);
    slot->local = grow(slot->local, &slot->local_room, (u64)warps * 32 * L->local_bytes + 64);
    if (!shared || !b->warps || !slot->regs || !slot->local) return NULL;
    b->launch = L; b->sim = s; b->index = index;
    b->id[0] = (u32)(index % L->grid[0]); b->id[1] = (u32)(index / L->grid[0] % L->grid[1]); b->id[2] = (u32)(index / L->grid[0] / L->grid[1]);
    b->warp_count = warps; b->thread_count = threads;
    b->is_traced = L->traced && L->trace_every && index % L->trace_every == 0;
    b->run = b->is_traced ? L->traced : L->plain;
    b->ordinal = L->begun;
    L->begun += b->is_traced;
    for (u64 i = 0; i + 4 <= L->shared_bytes; i += 4) { u32 poison = 0x7fbadbadu; memcpy(shared + i, &poison, 4); }
    if (b->is_traced) {
        memset(b->shared_cells, 0, granules * sizeof(Cell));
        memset(b->shared_init, 0, L->shared_bytes);
    }
    memset(slot->local, 0xfb, (u64)warps * 32 * L->local_bytes);
    for (u32 i = 0; i < warps; i++) {
        set_up_warp(b, &b->warps[i], i);
        b->warps[i].regs = slot->regs + (u64)i * L->register_bytes;
        b->warps[i].local = slot->local + (u64)i * 32 * L->local_bytes;
    }
    new_stamp(b);
    reuse_begin(b);
    s->steps--;
    return slot;
}

/* Everyone who is left waits, and no barrier has its threads: names one who waits, and one who waits elsewhere. */
static void stuck(Block *b) {
    Warp *first = NULL, *other = NULL;
    u32 lane = 0, other_lane = 0;
    for (u32 i = 0; i < b->warp_count; i++) {
        Warp *w = &b->warps[i];
        for (u32 m = w->live & w->waiting; m; m &= m - 1) {
            u32 at = __builtin_ctz(m);
            if (!first) { first = w; lane = at; }
            else if (!other && w->barrier_of[at] != first->barrier_of[lane]) { other = w; other_lane = at; }
        }
    }
    if (first) {
        const Barrier *bar = &b->barriers[first->barrier_of[lane]];
        rt_fault_full(first, FAULT_BARRIER_NEVER, bar->first_site, first->index * 32 + lane, bar->arrived,
                      bar->expected ? bar->expected : b->thread_count,
                      other ? b->barriers[other->barrier_of[other_lane]].first_site : NONE,
                      other ? other->index * 32 + other_lane : NONE, b->index, 0);
    }
    b->sim->stopped = 1;
}

/* Runs a block until it ends (1) or has only been looping for a while (0): perhaps it waits for another block. */
static u32 run_block(Block *b) {
    Sim *s = b->sim;
    for (u32 turns = 0; turns < 4; turns++) {
        u32 yielded = 0, done = 0, start = s->schedule == SCHEDULE_SHUFFLED ? (u32)(next_random(s) % b->warp_count) : 0;
        for (u32 k = 0; k < b->warp_count; k++) {
            u32 at = (start + k) % b->warp_count;
            Warp *w = &b->warps[s->schedule == SCHEDULE_REVERSE ? b->warp_count - 1 - at : at];
            if (!w->live) { done++; continue; }
            if (!(w->live & ~w->waiting)) continue;
            w->quantum = w->granted = QUANTUM;
            int status = b->run(w);
            if (status == SIM_YIELD) { yielded++; w->spins++; } else w->spins = 0;
            if (!w->live) done++;
            if (s->stopped || rt_is_used_up(w)) return 1;
        }
        if (done == b->warp_count) return 1;
        if (release_complete(b)) { turns = 0; continue; }
        if (!yielded) { stuck(b); return 1; }
    }
    return 0;
}

static void close_block(Block *b) {
    rt_drop_copies(b);
    if (!b->is_traced) return;
    Launch *L = b->launch;
    u64 sum = 0;
    for (u32 i = 0; i < b->warp_count; i++) {
        u64 n = b->warps[i].instructions;
        sum += n;
        if (n > L->warp_max) L->warp_max = n;
        L->thread_instructions += b->warps[i].thread_instructions;
    }
    L->traced_blocks++;
    L->traced_warps += b->warp_count;
    L->warp_instructions += sum;
    if (sum > L->block_max) L->block_max = sum;
}

static u64 block_at(Launch *L, u64 total, u64 position, const u32 *shuffled) {
    if (L->sim->schedule == SCHEDULE_REVERSE) return total - 1 - position;
    return shuffled ? shuffled[position] : position;
}

static u32 *shuffle(Sim *s, u64 total) {
    if (s->schedule != SCHEDULE_SHUFFLED || total > 1u << 24) return NULL;
    u32 *order = malloc(total * sizeof *order);
    if (!order) return NULL;
    for (u64 i = 0; i < total; i++) order[i] = (u32)i;
    for (u64 i = total - 1; i > 0; i--) {
        u64 j = next_random(s) % (i + 1);
        u32 t = order[i]; order[i] = order[j]; order[j] = t;
    }
    return order;
}

int sim_launch(Launch *L) {
    Sim *s = L->sim;
    u64 total = (u64)L->grid[0] * L->grid[1] * L->grid[2], next = 0;
    u32 active = 0, limit = L->cooperative ? (u32)(total < 4096 ? total : 4096) : RESIDENT, wanted = L->cooperative ? limit : 1;
    u32 *order = shuffle(s, total);
    s->first_stamp = s->stamp + 1;
    s->first_fault = s->fault_count;
    s->rare_count = 0;
    if (s->release_time) {
        u64 used = (total < s->order_room ? total : s->order_room) * 4;
        memset(s->release_time, 0, used); memset(s->acquire_time, 0, used);
    }
    L->begun = 0;
    cache_begin(L);
    while (!s->stopped && (active || next < total)) {
        s->unstarted = active > 1 ? total - next : 0;
        while (active < wanted && next < total) {
            if (!start_block(L, block_at(L, total, next, order), active)) { s->stopped = 1; break; }
            next++; active++;
        }
        u32 ended = 0;
        for (u32 i = 0; i < active && !s->stopped;) {
            Slot **slots = s->pool;
            if (!run_block(&slots[i]->block)) { i++; continue; }
            close_block(&slots[i]->block);
            Slot *free_slot = slots[i];  /* the freed place moves behind the active ones */
            memmove(&slots[i], &slots[i + 1], (active - 1 - i) * sizeof *slots);
            slots[--active] = free_slot;
            ended++;
        }
        if (!ended && wanted < limit) wanted++;
        else if (ended && !L->cooperative && !active) wanted = 1;
    }
    free(order);
    cache_end(L);
    return s->stopped ? -1 : 0;
}

/* 0 when the caller's idea of these structures has the right sizes. */
int sim_sizes(u32 sim, u32 launch, u32 fault, u32 cell, u32 traffic) {
    return !(sim == sizeof(Sim) && launch == sizeof(Launch) && fault == sizeof(Fault) && cell == sizeof(Cell) && traffic == sizeof(Traffic));
}

int sim_open(Sim *s) {
    s->stamp_room = 4096;
    s->stamp_block = calloc(s->stamp_room, sizeof *s->stamp_block);
    return s->stamp_block ? cache_open(s) : -1;
}

void sim_close(Sim *s) {
    free(s->stamp_block); s->stamp_block = NULL;
    free(s->rares); s->rares = NULL;
    cache_close(s);
    Slot **slots = s->pool;
    for (u64 i = 0; i < s->pool_count; i++) {
        rt_drop_copies(&slots[i]->block);
        reuse_free(&slots[i]->block);
        free(slots[i]->block.shared); free(slots[i]->block.warps); free(slots[i]->block.rows); free(slots[i]->regs); free(slots[i]->local); free(slots[i]);
    }
    free(s->pool); s->pool = NULL; s->pool_count = 0;
}
