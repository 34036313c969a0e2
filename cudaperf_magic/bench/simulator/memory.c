/* Where an address leads: bounds, alignment, and the slow path of every access. A refused access reaches a scratch
 * place instead of memory, so a kernel can neither crash nor read or change what is not its own.
 */
#include "sim.h"
#include "faults.h"

u8 *rt_refused(void) {
    static _Thread_local u64 scratch[4];
    scratch[0] = scratch[1] = scratch[2] = scratch[3] = POISON;
    return (u8 *)scratch;
}

/* The buffer that holds `address`, or null. */
const Buffer *rt_buffer(Sim *s, u32 site, u64 address) {
    const Buffer *b = &s->buffers[s->hints[site & 63]];
    if (address - b->start < b->size) return b;
    u32 low = 0, high = s->buffer_count;
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (s->buffers[middle].start <= address) low = middle + 1; else high = middle;
    }
    if (!low) return 0;
    b = &s->buffers[low - 1];
    if (address - b->start >= b->size) return 0;
    s->hints[site & 63] = low - 1;
    return b;
}

static u8 *global_at(Warp *w, u32 site, u32 lane, u64 address, u32 size) {
    const Buffer *b = rt_buffer(w->sim, site, address);
    if (!b || address + size > b->start + b->size) {
        rt_fault(w, FAULT_OUT_OF_BOUNDS, site, lane, address, size);
        return 0;
    }
    return (u8 *)address;
}

static u8 *shared_at(Warp *w, u32 site, u32 lane, u64 offset, u32 size) {
    const Launch *L = w->launch;
    int is_stray = !INSIDE(offset, size, L->shared_bytes);
    for (u32 i = 0; i < L->gap_count; i++) is_stray |= offset + size > L->gaps[2 * i] && offset < L->gaps[2 * i + 1];
    if (is_stray) {
        rt_fault(w, FAULT_SHARED_OUT_OF_BOUNDS, site, lane, offset, size);
        return 0;
    }
    return w->block->shared + offset;
}

static u8 *local_at(Warp *w, u32 site, u32 lane, u64 offset, u32 size) {
    if (!INSIDE(offset, size, w->local_bytes)) {
        rt_fault(w, FAULT_LOCAL_OUT_OF_BOUNDS, site, lane, offset, size);
        return 0;
    }
    return w->local + (u64)lane * w->local_bytes + offset;
}

static u8 *find(Warp *w, u32 space, u32 site, u32 lane, u64 address, u32 size) {
    if (space == SPACE_GENERIC) {
        u64 window = WINDOW_OF(address), offset = address & ~0xf000000000000000ull;
        if (window == WINDOW_SHARED) return shared_at(w, site, lane, offset, size);
        if (window == WINDOW_LOCAL) return local_at(w, site, lane, offset, size);
        if (window == WINDOW_PARAM && INSIDE(offset, size, PARAM_BYTES) && w->launch->sites[site].op == OP_LOAD) return (u8 *)w->launch->params + offset;
        space = SPACE_GLOBAL;
    }
    if (space == SPACE_SHARED) {
        if (WINDOW_OF(address) == WINDOW_SHARED) address &= ~0xf000000000000000ull;
        return shared_at(w, site, lane, address, size);
    }
    if (space == SPACE_LOCAL) return local_at(w, site, lane, address, size);
    if (space == SPACE_PARAM) { rt_fault(w, FAULT_WILD, site, lane, address, size); return 0; }
    return global_at(w, site, lane, address, size);
}

u8 *rt_at(Warp *w, u32 space, u32 site, u32 lane, u64 address, u32 size) {
    u8 *found = find(w, space, site, lane, address, size);
    return found ? found : rt_refused();
}

/* As rt_at, but null for a refused access, and misaligned ones are refused. */
u8 *rt_at_traced(Warp *w, u32 space, u32 site, u32 lane, u64 address, u32 size) {
    if (address & (size - 1)) {
        rt_fault(w, FAULT_MISALIGNED, site, lane, address, size);
        return 0;
    }
    return find(w, space, site, lane, address, size);
}
