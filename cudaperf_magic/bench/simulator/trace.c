/* An access of a warp, as it happens: what it reads must have been written. What it costs: cost.c. Races: races.c. */
#include "sim.h"
#include "faults.h"
#include "cost.h"
#include "races.h"
#include "warp.h"

enum { IS_THERE = 1, COMES_LATER = 2 };  /* of a byte that has been written, or will be by a copy under way */

static void initialised(Warp *w, u32 kind, u8 *map, u32 site, u32 lane, u64 offset, u64 address, u8 mark) {
    const Site *info = &w->launch->sites[site];
    if (info->op != OP_STORE) {
        u32 four;
        if (info->size == 4 && (memcpy(&four, map + offset, 4), four == 0x01010101u)) return;
        for (u32 i = 0; i < info->size; i++)
            if (map[offset + i] != IS_THERE) {
                /* cub's merge sort reads an element past its own, and drops it. */
                if (kind == FAULT_UNINITIALISED_SHARED && info->op == OP_LOAD && info->flags & SITE_FOREIGN && !map[offset + i]) break;
                rt_fault(w, map[offset + i] == COMES_LATER ? FAULT_NOT_LANDED : kind, site, lane, address, info->size);
                break;
            }
    }
    if (info->op != OP_LOAD) for (u32 i = 0; i < info->size; i++) map[offset + i] = mark;
}

/* Whether all lanes' bytes were written, found out by their whole span. */
static u32 is_span_initialised(const u8 *map, u64 low, u64 high) {
    if (high - low > 1024) return 0;
    for (; low + 8 <= high; low += 8) { u64 eight; memcpy(&eight, map + low, 8); if (eight != 0x0101010101010101ull) return 0; }
    for (; low < high; low++) if (map[low] != IS_THERE) return 0;
    return 1;
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
    if (info->op == OP_LOAD && !(info->flags & SITE_STRONG)) reuse_note(w, site, list, n);
    if (strong && s->cells) rt_hand_over(w, mask, addresses, info);
    if (!s->cells && !s->initialised) return;
    if (info->op == OP_LOAD && (!s->initialised || is_span_initialised(s->initialised, list[0] - (u64)s->arena, list[n - 1] + info->size - (u64)s->arena))) {
        for (u32 m = mask; m; m &= m - 1) list[__builtin_ctz(m)] = addresses[__builtin_ctz(m)] - (u64)s->arena;
        if (s->cells) rt_shadow_loads(w, FAULT_GLOBAL_RACE, s->cells, s->cell_shift, s->first_stamp, site, mask, list, addresses);
        return;
    }
    FOR_LANES(mask) {  /* in the order in which they ran, on which `same` depends */
        u64 address = addresses[lane], offset = address - (u64)s->arena;
        if (s->initialised) initialised(w, FAULT_UNINITIALISED_GLOBAL, s->initialised, site, lane, offset, address, IS_THERE);
        if (s->cells) rt_shadow(w, FAULT_GLOBAL_RACE, s->cells, s->cell_shift, s->first_stamp, site, lane, offset, address, same);
    }
}

static void trace_shared(Warp *w, u32 site, u32 mask, const u64 *addresses, u32 same) {
    Launch *L = w->launch;
    const Site *info = &L->sites[site];
    Block *b = w->block;
    u64 offsets[32], low = ~0ull, high = 0;
    for (u32 m = mask; m; m &= m - 1) {
        u64 at = offsets[__builtin_ctz(m)] = addresses[__builtin_ctz(m)] & ~0xf000000000000000ull;
        if (at < low) low = at;
        if (at + info->size > high) high = at + info->size;
    }
    u64 wavefronts = L->costs[site].wavefronts, ideal = L->costs[site].ideal_wavefronts;
    cost_shared(&L->costs[site], info, mask, offsets);
    cost_keep_worst(w, site, SPACE_SHARED, mask, offsets, L->costs[site].wavefronts - wavefronts, L->costs[site].ideal_wavefronts - ideal);
    if (info->op == OP_ATOMIC) { u64 list[32]; u32 n = cost_ascending(mask, offsets, list); cost_atomic(&L->costs[site], list, n); }
    if (!L->check_shared) return;
    if (L->crosses && (info->op == OP_ATOMIC || info->flags & SITE_STRONG)) rt_hand_over(w, mask, offsets, info);
    if (info->op == OP_LOAD && is_span_initialised(b->shared_init, low, high)) {
        if (!rt_are_known_reads(b, b->shared_cells, L->shared_shift, low, high))
            rt_shadow_loads(w, FAULT_SHARED_RACE, b->shared_cells, L->shared_shift, b->stamp, site, mask, offsets, offsets);
        return;
    }
    u8 mark = info->flags & SITE_LATE ? COMES_LATER : IS_THERE;
    FOR_LANES(mask) {
        initialised(w, FAULT_UNINITIALISED_SHARED, b->shared_init, site, lane, offsets[lane], offsets[lane], mark);
        rt_shadow(w, FAULT_SHARED_RACE, b->shared_cells, L->shared_shift, b->stamp, site, lane, offsets[lane], offsets[lane], same);
    }
}

void rt_trace(Warp *w, u32 site, u32 mask, const u64 *addresses, u32 same) {
    const Site *info = &w->launch->sites[site];
    SiteCost *cost = &w->launch->costs[site];
    if (info->op == OP_FENCE) { rt_fence(w, mask); return; }
    cost->requests++;
    cost->lanes += __builtin_popcount(mask);
    cost->bytes += (u64)__builtin_popcount(mask) * info->size;
    if (info->space == SPACE_GLOBAL) trace_global(w, site, mask, addresses, same);
    else if (info->space == SPACE_SHARED) trace_shared(w, site, mask, addresses, same);
    else if (info->space == SPACE_LOCAL) cost_local(w, site, mask, addresses);
    else if (info->space == SPACE_GENERIC) {
        u32 in_shared = 0, in_global = 0, in_local = 0;
        u64 offsets[32];
        for (u32 m = mask; m; m &= m - 1) {
            u64 address = addresses[__builtin_ctz(m)], window = WINDOW_OF(address);
            offsets[__builtin_ctz(m)] = address & ~0xf000000000000000ull;
            if (window == WINDOW_SHARED) in_shared |= m & -m;
            else if (window == WINDOW_LOCAL) in_local |= m & -m;
            else if (!window) in_global |= m & -m;
        }
        if (in_local) cost_local(w, site, in_local, offsets);
        if (in_shared) trace_shared(w, site, in_shared, addresses, same);
        if (in_global) trace_global(w, site, in_global, addresses, same);
    }
}

/* One lane's access without its cost, of a copy that is issued or has landed now. */
void rt_check(Warp *w, u32 site, u32 lane, u64 address, u32 has_landed) {
    Launch *L = w->launch; Sim *s = w->sim; Block *b = w->block;
    if (L->sites[site].space == SPACE_SHARED) {
        if (!L->check_shared) return;
        initialised(w, FAULT_UNINITIALISED_SHARED, b->shared_init, site, lane, address, address, has_landed ? IS_THERE : COMES_LATER);
        rt_shadow(w, FAULT_SHARED_RACE, b->shared_cells, L->shared_shift, b->stamp, site, lane, address, address, 0);
        return;
    }
    u64 offset = address - (u64)s->arena;
    if (s->initialised) initialised(w, FAULT_UNINITIALISED_GLOBAL, s->initialised, site, lane, offset, address, IS_THERE);
    if (s->cells) rt_shadow(w, FAULT_GLOBAL_RACE, s->cells, s->cell_shift, s->first_stamp, site, lane, offset, address, 0);
}

/* What the lane did, its copies too, is there for whoever acquires at `address` of shared memory. */
void rt_release(Warp *w, u32 site, u32 lane, u64 address) {
    u64 addresses[32] = {0};
    addresses[lane] = address;
    if (w->launch->crosses && w->launch->check_shared) rt_hand_over(w, BIT(lane), addresses, &w->launch->sites[site]);
}
