/* Whether an access of a warp races with another or reads what nobody wrote: shadow memory. What it costs: cost.c.
 *
 * Race detection. Each granule remembers its last write and last read. Two accesses of one block are ordered when a
 * barrier (a new stamp) lies between them, of one warp also when both lanes took part in a warp collective since. Two
 * blocks are ordered only by a release (a fence, then an atomic or volatile store) of the first after its access and an
 * acquire (an atomic or volatile load) of the second after that release; which location carries it is not checked, so a
 * race can be missed there, but an honest hand-over is never called one.
 */
#include <stdlib.h>
#include "sim.h"
#include "faults.h"
#include "cost.h"

/* Readers since the last barrier: several lanes of one warp, several warps; and several blocks of this launch. */
enum { CELL_WRITE_ATOMIC = 1, CELL_MANY_LANES = 2, CELL_MANY_WARPS = 4, CELL_MANY_BLOCKS = 8, CELL_READ_STRONG = 16 };
/* ---- order between threads ---- */

static u32 ordered_between_blocks(Warp *w, u32 stamp) {
    Sim *s = w->sim;
    u64 other = s->stamp_block[stamp], self = w->block->index;
    if (!s->release_time || other >= s->order_room || self >= s->order_room) return 0;
    return s->release_time[other] >= stamp && s->acquire_time[self] >= stamp;
}

void rt_fence(Warp *w) { w->fenced = 1; }

/* An atomic or volatile access hands over: as a release when a fence came before, and as an acquire. */
static void strong_access(Warp *w, u32 mask, u32 is_load, u32 is_store, u32 releases) {
    Sim *s = w->sim;
    u64 self = w->block->index;
    u32 now = ++w->block->tick;
    is_store &= w->fenced | releases;
    for (u32 m = mask; m; m &= m - 1) {
        u32 lane = __builtin_ctz(m);
        if (is_store) w->released[lane] = now;
        if (is_load) w->acquired[lane] = now;
    }
    if (!s->release_time || self >= s->order_room) return;
    if (is_store) s->release_time[self] = s->stamp;
    if (is_load) s->acquire_time[self] = s->stamp;
}

/* ---- shadow ---- */

static void race(Warp *w, u32 kind, u32 site, u32 lane, u64 address, u32 flags, u32 other_site, u32 other_thread, u64 other_block) {
    rt_fault_full(w, kind, site, w->index * 32 + lane, address, w->launch->sites[site].size, other_site, other_thread, other_block, flags);
}

/* Whether an earlier access (its stamp, thread and tick) and this one of `lane` may fall in either order. */
static u32 unordered(Warp *w, u32 lane, u32 stamp, u32 thread, u32 tick, u32 *flags) {
    Block *b = w->block;
    u32 me = w->index * 32 + lane;
    *flags = 0;
    if (w->sim->stamp_block[stamp] != b->index) {
        *flags = RACE_OTHER_BLOCK;
        return !ordered_between_blocks(w, stamp);
    }
    if (stamp < b->stamp || thread == me) return 0;
    if (w->acquired[lane] > tick && thread < b->thread_count && b->warps[thread / 32].released[thread & 31] > tick) return 0;
    if (thread / 32 == w->index) {
        *flags = RACE_SAME_WARP;
        return w->met[lane] <= tick;
    }
    return 1;
}

static void shadow_read(Warp *w, u32 kind, Cell *c, u32 floor, u32 site, u32 lane, u64 address) {
    u32 flags, me = w->index * 32 + lane, strong = w->launch->sites[site].flags & SITE_STRONG && kind == FAULT_GLOBAL_RACE;
    if (c->write_stamp >= floor && !(strong && c->flags & CELL_WRITE_ATOMIC)
        && unordered(w, lane, c->write_stamp, c->write_thread, c->write_tick, &flags))
        race(w, kind, site, lane, address, flags | RACE_WAS_WRITE | (c->flags & CELL_WRITE_ATOMIC ? RACE_ATOMIC : 0),
             c->write_site, c->write_thread, w->sim->stamp_block[c->write_stamp]);
    if (c->read_stamp < floor) c->flags &= ~(CELL_MANY_LANES | CELL_MANY_WARPS | CELL_MANY_BLOCKS);
    else if (c->read_stamp < w->block->stamp) c->flags &= ~(CELL_MANY_LANES | CELL_MANY_WARPS);
    if (c->read_stamp >= floor) {
        if (!unordered(w, lane, c->read_stamp, c->read_thread, c->read_tick, &flags)) {
            if (c->read_thread != me || w->met[lane] > c->read_tick) c->flags &= ~CELL_MANY_LANES;
        } else c->flags |= flags & RACE_OTHER_BLOCK ? CELL_MANY_BLOCKS : flags & RACE_SAME_WARP ? CELL_MANY_LANES : CELL_MANY_WARPS;
    }
    if (strong) c->flags |= CELL_READ_STRONG; else c->flags &= ~CELL_READ_STRONG;
    c->read_stamp = w->block->stamp;
    c->read_thread = (u16)me; c->read_site = (u16)site; c->read_tick = w->block->tick;
}

static void shadow_write(Warp *w, u32 kind, Cell *c, u32 floor, u32 site, u32 lane, u64 address, u32 same) {
    const Site *info = &w->launch->sites[site];
    u32 flags, atomic = info->op == OP_ATOMIC || (info->flags & SITE_STRONG && kind == FAULT_GLOBAL_RACE);
    u32 value = same >> lane & 1 && !atomic ? RACE_SAME_VALUE : 0;
    u64 *block_of = w->sim->stamp_block;
    if (c->write_stamp >= floor && !(atomic && c->flags & CELL_WRITE_ATOMIC)
        && unordered(w, lane, c->write_stamp, c->write_thread, c->write_tick, &flags))
        race(w, kind, site, lane, address, flags | RACE_WAS_WRITE | RACE_IS_WRITE | value
             | (c->flags & CELL_WRITE_ATOMIC || atomic ? RACE_ATOMIC : 0), c->write_site, c->write_thread, block_of[c->write_stamp]);
    if (c->read_stamp >= floor && !(atomic && c->flags & CELL_READ_STRONG)) {
        u32 now = c->read_stamp == w->block->stamp, mine = c->read_thread == (u16)(w->index * 32 + lane);
        u32 by_warp = now && c->flags & CELL_MANY_WARPS && w->acquired[lane] <= c->read_tick;
        u32 by_lane = now && mine && c->flags & CELL_MANY_LANES && w->met[lane] <= c->read_tick;
        if (unordered(w, lane, c->read_stamp, c->read_thread, c->read_tick, &flags) || by_warp || by_lane)
            race(w, kind, site, lane, address, flags | RACE_IS_WRITE | (atomic ? RACE_ATOMIC : 0), c->read_site,
                 mine ? NONE : c->read_thread, block_of[c->read_stamp]);
        else if (c->flags & CELL_MANY_BLOCKS && block_of[c->read_stamp] == w->block->index
                 && !(w->sim->acquire_time && w->block->index < w->sim->order_room && w->sim->acquire_time[w->block->index]))
            race(w, kind, site, lane, address, RACE_IS_WRITE | RACE_OTHER_BLOCK | (atomic ? RACE_ATOMIC : 0), c->read_site,
                 NONE, ~0ull);
    }
    c->write_stamp = w->block->stamp;
    c->write_thread = (u16)(w->index * 32 + lane); c->write_site = (u16)site; c->write_tick = w->block->tick;
    if (atomic) c->flags |= CELL_WRITE_ATOMIC; else c->flags &= ~CELL_WRITE_ATOMIC;
}

/* Whether one more read changes nothing: nobody wrote, and threads of several warps have read since the barrier. */
static u32 is_known_read(const Cell *c, const Block *b, u32 floor) {
    return c->write_stamp < floor && c->read_stamp == b->stamp && c->flags & CELL_MANY_WARPS && !(c->flags & CELL_READ_STRONG);
}

static void shadow(Warp *w, u32 kind, Cell *cells, u32 shift, u32 floor, u32 site, u32 lane, u64 offset, u64 address, u32 same) {
    const Site *info = &w->launch->sites[site];
    for (u64 g = offset >> shift; g <= (offset + info->size - 1) >> shift; g++) {
        if (info->op == OP_LOAD && is_known_read(&cells[g], w->block, floor)) continue;
        if (info->op == OP_LOAD) shadow_read(w, kind, &cells[g], floor, site, lane, address);
        else shadow_write(w, kind, &cells[g], floor, site, lane, address, same);
    }
}

static void initialised(Warp *w, u32 kind, u8 *map, u32 site, u32 lane, u64 offset, u64 address) {
    const Site *info = &w->launch->sites[site];
    if (info->op != OP_STORE) {
        u32 four;
        if (info->size == 4 && (memcpy(&four, map + offset, 4), four == 0x01010101u)) return;
        for (u32 i = 0; i < info->size; i++)
            if (!map[offset + i]) { rt_fault(w, kind, site, lane, address, info->size); break; }
    }
    if (info->op != OP_LOAD) for (u32 i = 0; i < info->size; i++) map[offset + i] = 1;
}

static void trace_global(Warp *w, u32 site, u32 mask, const u64 *addresses, u32 same) {
    Sim *s = w->sim;
    const Site *info = &w->launch->sites[site];
    SiteCost *cost = &w->launch->costs[site];
    u64 list[32];
    u32 n = cost_ascending(mask, addresses, list), strong = info->op == OP_ATOMIC || info->flags & SITE_STRONG;
    u64 sectors = cost->sectors, ideal = cost->ideal_sectors;
    cost_global(w, site, list, n);
    cost_keep_worst(w, site, SPACE_GLOBAL, mask, addresses, cost->sectors - sectors, cost->ideal_sectors - ideal);
    if (s->reach) cost_note_reach(s, site, list, n, info->size);
    if (info->op == OP_ATOMIC) cost_atomic(cost, list, n);
    if (strong && s->cells) strong_access(w, mask, info->op != OP_STORE, info->op != OP_LOAD, (info->flags & SITE_RELEASE) != 0);
    if (!s->cells && !s->initialised) return;
    FOR_LANES(mask) {  /* in the order in which they ran, on which `same` depends */
        u64 address = addresses[lane], offset = address - (u64)s->arena;
        if (s->initialised) initialised(w, FAULT_UNINITIALISED_GLOBAL, s->initialised, site, lane, offset, address);
        if (s->cells) shadow(w, FAULT_GLOBAL_RACE, s->cells, s->cell_shift, s->first_stamp, site, lane, offset, address, same);
    }
}

static void trace_shared(Warp *w, u32 site, u32 mask, const u64 *addresses, u32 same) {
    Launch *L = w->launch;
    const Site *info = &L->sites[site];
    Block *b = w->block;
    u64 offsets[32];
    for (u32 m = mask; m; m &= m - 1) offsets[__builtin_ctz(m)] = addresses[__builtin_ctz(m)] & ~0xf000000000000000ull;
    u64 wavefronts = L->costs[site].wavefronts, ideal = L->costs[site].ideal_wavefronts;
    cost_shared(&L->costs[site], mask, offsets, info->size);
    cost_keep_worst(w, site, SPACE_SHARED, mask, offsets, L->costs[site].wavefronts - wavefronts, L->costs[site].ideal_wavefronts - ideal);
    if (info->op == OP_ATOMIC) { u64 list[32]; u32 n = cost_ascending(mask, offsets, list); cost_atomic(&L->costs[site], list, n); }
    if (!L->check_shared) return;
    FOR_LANES(mask) {
        initialised(w, FAULT_UNINITIALISED_SHARED, b->shared_init, site, lane, offsets[lane], offsets[lane]);
        shadow(w, FAULT_SHARED_RACE, b->shared_cells, L->shared_shift, b->stamp, site, lane, offsets[lane], offsets[lane], same);
    }
}

void rt_trace(Warp *w, u32 site, u32 mask, const u64 *addresses, u32 same) {
    const Site *info = &w->launch->sites[site];
    SiteCost *cost = &w->launch->costs[site];
    cost->requests++;
    cost->lanes += __builtin_popcount(mask);
    cost->bytes += (u64)__builtin_popcount(mask) * info->size;
    if (info->space == SPACE_GLOBAL) trace_global(w, site, mask, addresses, same);
    else if (info->space == SPACE_SHARED) trace_shared(w, site, mask, addresses, same);
    else if (info->space == SPACE_GENERIC) {
        u32 in_shared = 0, in_global = 0;
        for (u32 m = mask; m; m &= m - 1) {
            u64 window = WINDOW_OF(addresses[__builtin_ctz(m)]);
            if (window == WINDOW_SHARED) in_shared |= m & -m;
            else if (!window) in_global |= m & -m;
        }
        if (in_shared) trace_shared(w, site, in_shared, addresses, same);
        if (in_global) trace_global(w, site, in_global, addresses, same);
    }
}
