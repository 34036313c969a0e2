/* Whether two accesses may fall in either order: shadow memory, and who knows of whose accesses. Counts no cost.
 *
 * Within a block the answer is exact for the order that ran. A thread's time is its warp's tick, which starts anew at
 * each barrier of the whole block (a new stamp). Access a comes before access b when a block barrier lies between them;
 * when both are of one warp and a __syncwarp of all its live lanes does (`joined`); or when b's thread has heard of a's
 * tick through a __syncwarp of some lanes, a barrier of some threads, or a release that it acquired at the same address
 * (its `row`, a tick by thread; made only when first needed). Shuffles and votes order nothing: they are no fences.
 *
 * A granule keeps its last plain write, and of readers and of atomics all that no later one of them is ordered after: a
 * crowd. One thread, or lanes of one warp at one tick, or two threads of different warps (any other access races with one
 * of these two while warps meet only at block barriers), else a row of ticks.
 *
 * Two blocks are ordered only by a release of the first (a fence not before the last block barrier that follows its
 * access, then an atomic or volatile store) and an acquire (an atomic or volatile load) of the second; which location
 * carries it is not checked, so a race can be missed there, but an honest hand-over is never called one.
 */
#include <stdlib.h>
#include "sim.h"
#include "faults.h"
#include "races.h"

#define MOST_ROWS_BYTES (64u << 20)  /* of one block; past it, threads of different warps are taken as ordered */
enum { CELL_RARE = 1 };

/* ---- rows: what a thread knows, a tick by thread of its block ---- */

/* row[0] counts the lanes and tables that hold it. Row 0 is none. */
static u32 *row_at(Block *b, u32 row) { return b->rows + (u64)row * b->row_size; }

static u32 new_row(Block *b) {
    u32 size = (b->thread_count < 8 ? 8 : b->thread_count) + 1, row = b->free_row;
    b->row_size = size;
    if (row) b->free_row = row_at(b, row)[1];
    else {
        row = ++b->row_count;
        if ((u64)(row + 1) * size > b->rows_room) {
            u64 room = b->rows_room * 2 > (u64)(row + 1) * size ? b->rows_room * 2 : (u64)(row + 64) * size;
            u32 *more = room * sizeof *more <= MOST_ROWS_BYTES ? realloc(b->rows, room * sizeof *more) : NULL;
            if (!more) { b->row_count--; b->is_blind = 1; return 0; }
            b->rows = more; b->rows_room = room;
        }
    }
    memset(row_at(b, row), 0, size * sizeof(u32));
    return row;
}

static void drop_row(Block *b, u32 row) {
    u32 *r = row_at(b, row);
    if (!row || --r[0]) return;
    r[1] = b->free_row; b->free_row = row;
}

static void give_row(Warp *w, u32 lane, u32 row) {
    if (w->row[lane] == row) return;
    if (row) row_at(w->block, row)[0]++;
    drop_row(w->block, w->row[lane]);
    w->row[lane] = row;
}

static void merge(Block *b, u32 *into, const u32 *from) {
    for (u32 i = 1; i <= b->thread_count; i++) if (from[i] > into[i]) into[i] = from[i];
}

/* Adds to a row all that a lane knows, and its own accesses before `own`. */
static void fold(Warp *w, u32 lane, u32 row, u32 own) {
    Block *b = w->block;
    u32 *into = row_at(b, row), first = w->index * 32 + 1;
    if (w->row[lane]) merge(b, into, row_at(b, w->row[lane]));
    for (u32 i = 0; i < 32 && first + i <= b->thread_count; i++)
        if (w->joined[i] > into[first + i]) into[first + i] = w->joined[i];
    if (own > into[first + lane]) into[first + lane] = own;
}

/* The lanes of `group` hear of one another's accesses before `now`. */
static void meet(Warp *w, u32 group, u32 now) {
    Block *b = w->block;
    u32 rows = 0, is_one = 1, first = w->row[__builtin_ctz(group)];
    for (u32 m = group; m; m &= m - 1) { u32 r = w->row[__builtin_ctz(m)]; rows |= r; is_one &= r == first; }
    if (group == w->live) {
        for (u32 m = group; m; m &= m - 1) w->joined[__builtin_ctz(m)] = now;
        if (!rows || is_one) return;
    }
    if (is_one && first && row_at(b, first)[0] == (u32)__builtin_popcount(group)) {  /* nobody else holds it */
        for (u32 m = group; m; m &= m - 1) row_at(b, first)[w->index * 32 + __builtin_ctz(m) + 1] = now;
        return;
    }
    u32 row = new_row(b);
    if (!row) return;
    for (u32 m = group; m; m &= m - 1) fold(w, __builtin_ctz(m), row, now);
    for (u32 m = group; m; m &= m - 1) give_row(w, __builtin_ctz(m), row);
}

void rt_met(Warp *w, u32 ready, const u32 *members) {
    if (!w->block->is_traced) return;
    u32 now = ++w->tick;
    while (ready) {
        u32 lane = __builtin_ctz(ready), group = (members[lane] & ready) | BIT(lane);
        meet(w, group, now);
        ready &= ~group;
    }
}

/* ---- barriers of some threads ---- */

void rt_arrived(Warp *w, u32 mask, u32 id) {
    Block *b = w->block;
    if (!b->is_traced) return;
    u32 *known = &b->barriers[id].known, now = ++w->tick;
    if (!*known && (*known = new_row(b))) row_at(b, *known)[0] = 1;
    if (*known) for (u32 m = mask; m; m &= m - 1) fold(w, __builtin_ctz(m), *known, now);
}

/* Those who wait at barrier `id` hear of each other and of those who only arrived there. */
void rt_released_some(Block *b, u32 id) {
    if (!b->is_traced) return;
    u32 *known = &b->barriers[id].known;
    if (!*known && (*known = new_row(b))) row_at(b, *known)[0] = 1;
    for (u32 pass = 0; pass < 2 && *known; pass++)
        for (u32 i = 0; i < b->warp_count; i++) {
            Warp *w = &b->warps[i];
            u32 here = 0;
            for (u32 m = w->waiting; m; m &= m - 1) if (w->barrier_of[__builtin_ctz(m)] == id) here |= m & -m;
            u32 now = here && !pass ? ++w->tick : 0;
            for (u32 m = here; m; m &= m - 1)
                if (pass) give_row(w, __builtin_ctz(m), *known); else fold(w, __builtin_ctz(m), *known, now);
        }
    drop_row(b, *known);
    *known = 0;
}

/* A barrier of the whole block, or its start: what lies before it is ordered before all that follows. */
void rt_new_interval(Block *b) {
    b->row_count = b->free_row = b->is_blind = 0;
    memset(b->handed, 0, sizeof b->handed);
    for (u32 i = 0; i < 16; i++) b->barriers[i].known = 0;
    for (u32 i = 0; i < b->warp_count; i++) {
        Warp *w = &b->warps[i];
        w->tick = 0;
        memset(w->joined, 0, sizeof w->joined); memset(w->fenced_at, 0, sizeof w->fenced_at);
        memset(w->row, 0, sizeof w->row);
    }
}

/* ---- hand-overs: a release and the acquires at its address ---- */

/* An entry is a row that holds its address, the row that was published there, and the next entry of its bucket. */
enum { ENTRY_LOW = 1, ENTRY_HIGH, ENTRY_ROW, ENTRY_NEXT };

static u32 *entry_of(Block *b, u64 address, u32 make) {
    u32 *head = &b->handed[(address >> 2) % HANDED], entry = *head;
    for (; entry; entry = row_at(b, entry)[ENTRY_NEXT])
        if (row_at(b, entry)[ENTRY_LOW] == (u32)address && row_at(b, entry)[ENTRY_HIGH] == (u32)(address >> 32)) return row_at(b, entry);
    if (!make || !(entry = new_row(b))) return NULL;
    u32 *e = row_at(b, entry);
    e[ENTRY_LOW] = (u32)address; e[ENTRY_HIGH] = (u32)(address >> 32); e[ENTRY_NEXT] = *head;
    *head = entry;
    return e;
}

static void publish(Warp *w, u32 lane, u64 address, u32 own) {
    Block *b = w->block;
    u32 *e = entry_of(b, address, 1), row = e ? e[ENTRY_ROW] : 0;
    if (!e) return;
    if (!row) {
        if (!(row = new_row(b))) return;  /* which may move `e` */
        row_at(b, row)[0] = 1;
        entry_of(b, address, 0)[ENTRY_ROW] = row;
    } else if (row_at(b, row)[0] > 1) {  /* others hold it as it was */
        u32 copy = new_row(b);
        if (!copy) return;
        merge(b, row_at(b, copy), row_at(b, row));
        row_at(b, copy)[0] = 1;
        drop_row(b, row);
        entry_of(b, address, 0)[ENTRY_ROW] = row = copy;
    }
    fold(w, lane, row, own);
}

static void hear(Warp *w, u32 lane, u64 address) {
    Block *b = w->block;
    u32 *e = entry_of(b, address, 0), row = e ? e[ENTRY_ROW] : 0, own = w->row[lane];
    if (!row || row == own) return;
    if (own) {
        const u32 *have = row_at(b, own), *want = row_at(b, row);
        u32 i = 1;
        while (i <= b->thread_count && want[i] <= have[i]) i++;
        if (i > b->thread_count) return;
        u32 both = new_row(b);
        if (!both) return;
        merge(b, row_at(b, both), row_at(b, own)); merge(b, row_at(b, both), row_at(b, row));
        row = both;
    }
    give_row(w, lane, row);
}

void rt_fence(Warp *w, u32 mask) {
    u32 now = ++w->tick;
    w->fenced = w->block->stamp;
    for (u32 m = mask; m; m &= m - 1) w->fenced_at[__builtin_ctz(m)] = now;
}

void rt_hand_over(Warp *w, u32 mask, const u64 *addresses, const Site *info) {
    Block *b = w->block; Sim *s = w->sim;
    u32 loads = info->op != OP_STORE, releases = info->op != OP_LOAD && (w->fenced || info->flags & SITE_RELEASE);
    FOR_LANES(mask) {
        if (loads) hear(w, lane, addresses[lane]);
        if (!releases) continue;
        publish(w, lane, addresses[lane], info->flags & SITE_RELEASE ? w->tick + 1 : w->fenced_at[lane]);
    }
    if (releases && info->flags & SITE_RELEASE) w->tick++;
    if (!s->release_time || b->index >= s->order_room) return;
    u32 until = info->flags & SITE_RELEASE ? b->stamp : w->fenced;
    if (releases && until > s->release_time[b->index]) s->release_time[b->index] = until;
    if (loads) s->acquire_time[b->index] = s->stamp;
}

/* ---- order ---- */

static u32 is_before(Warp *w, u32 lane, u32 thread, u32 tick) {
    Block *b = w->block;
    if (thread == w->index * 32 + lane) return 1;
    if (thread / 32 == w->index && tick < w->joined[thread & 31]) return 1;
    return (w->row[lane] && row_at(b, w->row[lane])[thread + 1] > tick) || (b->is_blind && thread / 32 != w->index);
}

static u32 ordered_between_blocks(Warp *w, u32 stamp) {
    Sim *s = w->sim;
    u64 other = s->stamp_block[stamp], self = w->block->index;
    if (!s->release_time || other >= s->order_room || self >= s->order_room) return 0;
    return s->release_time[other] >= stamp && s->acquire_time[self] >= stamp;
}

/* ---- crowds ---- */

static void set_member(Block *b, u32 set, u32 thread, u32 tick, u32 site) {
    row_at(b, set)[thread + 1] = tick + 1;
    row_at(b, set + 1)[thread + 1] = site;
}

/* Two rows, one after the other: ticks, sites. Sets live until the next barrier of the block. */
static u32 new_set(Block *b) {
    u32 held = b->free_row;
    b->free_row = 0;
    u32 set = new_row(b), more = set ? new_row(b) : 0;
    b->free_row = held;
    return more ? set : 0;
}

static void spread(Warp *w, Crowd *c, u32 me, u32 site) {
    Block *b = w->block;
    Access *last = &c->last;
    u32 set = new_set(b);
    if (set && last->form == CROWD_LANES)
        for (u32 m = c->rest; m; m &= m - 1) set_member(b, set, (last->thread & ~31u) | __builtin_ctz(m), last->tick, last->site);
    else if (set) set_member(b, set, last->thread, last->tick, last->site);
    if (set) set_member(b, set, me, w->tick, site);
    c->rest = set;
    last->form = set ? CROWD_SET : CROWD_ONE;
}

/* An access of `lane` joins the crowd; those that are ordered before it need not be remembered. */
static void join(Warp *w, Crowd *c, u32 lane, u32 site, u32 strong) {
    Block *b = w->block;
    Access *last = &c->last;
    u32 me = w->index * 32 + lane, form = CROWD_ONE;
    if (last->stamp == b->stamp) {
        u32 mine = last->thread / 32 == w->index;
        if (strong && !last->strong) return;  /* which race with less than plain ones do */
        if (last->form == CROWD_WARPS && last->strong == strong) return;
        if (strong == last->strong) switch (last->form) {
        case CROWD_ONE:
            if (is_before(w, lane, last->thread, last->tick)) break;
            if (mine && last->tick == w->tick) { c->rest = BIT(last->thread & 31) | BIT(lane); form = CROWD_LANES; }
            else if (!mine && !w->launch->crosses) { c->rest = last->thread | (u32)last->site << 16; form = CROWD_WARPS; }
            else { spread(w, c, me, site); form = last->form; }
            break;
        case CROWD_LANES: {
            u32 all = 1;
            if (mine && last->tick == w->tick) { c->rest |= BIT(lane); form = CROWD_LANES; break; }
            for (u32 m = c->rest; m && all; m &= m - 1) all = is_before(w, lane, (last->thread & ~31u) | __builtin_ctz(m), last->tick);
            if (all) break;
            if (!mine && !w->launch->crosses) { c->rest = last->thread | (u32)last->site << 16; form = CROWD_WARPS; }
            else { spread(w, c, me, site); form = last->form; }
            break;
        }
        case CROWD_SET: set_member(b, c->rest, me, w->tick, site); form = CROWD_SET; break;
        }
    }
    *last = (Access){b->stamp, w->tick, me, form, strong, site};
}

/* A thread of the crowd (of this block, since the barrier) that `lane` is not ordered after, or NONE. */
static u32 rival(Warp *w, u32 lane, const Crowd *c, u32 *site) {
    const Access *last = &c->last;
    u32 me = w->index * 32 + lane;
    *site = last->site;
    switch (last->form) {
    case CROWD_LANES:
        for (u32 m = c->rest; m; m &= m - 1) {
            u32 thread = (last->thread & ~31u) | __builtin_ctz(m);
            if (!is_before(w, lane, thread, last->tick)) return thread;
        }
        return NONE;
    case CROWD_WARPS:
        if (last->thread / 32 != w->index) return last->thread;
        *site = c->rest >> 16;
        return c->rest & 0xffff;
    case CROWD_SET:
        for (u32 thread = 0; thread < w->block->thread_count; thread++) {
            u32 tick = row_at(w->block, c->rest)[thread + 1];
            if (!tick || thread == me || is_before(w, lane, thread, tick - 1)) continue;
            *site = row_at(w->block, c->rest + 1)[thread + 1];
            return thread;
        }
        return NONE;
    }
    return is_before(w, lane, last->thread, last->tick) ? NONE : last->thread;
}

/* ---- shadow memory ---- */

typedef struct { Warp *w; u32 kind, floor, site, lane; u64 address; } Now;

static void race(const Now *n, u32 flags, u32 other_site, u32 thread, u32 stamp) {
    Warp *w = n->w;
    if (flags & RACE_OTHER_BLOCK) flags &= ~RACE_SAME_WARP;
    else if (thread / 32 == w->index) flags |= RACE_SAME_WARP;
    rt_fault_full(w, n->kind, n->site, w->index * 32 + n->lane, n->address, w->launch->sites[n->site].size, other_site,
                  thread, w->sim->stamp_block[stamp], flags);
}

/* Reports when the access now at hand may fall before one that is remembered. */
static void against_one(const Now *n, const Access *a, u32 flags) {
    Warp *w = n->w;
    if (a->stamp < n->floor) return;
    if (a->stamp != w->block->stamp) {
        if (w->sim->stamp_block[a->stamp] == w->block->index || ordered_between_blocks(w, a->stamp)) return;
        race(n, flags | RACE_OTHER_BLOCK, a->site, a->thread, a->stamp);
    } else if (!is_before(w, n->lane, a->thread, a->tick)) race(n, flags, a->site, a->thread, a->stamp);
}

static void against(const Now *n, const Crowd *c, u32 flags) {
    if (c->last.stamp != n->w->block->stamp) { against_one(n, &c->last, flags); return; }
    u32 site, thread = rival(n->w, n->lane, c, &site);
    if (thread != NONE) race(n, flags, site, thread, c->last.stamp);
}

/* What few granules have: atomics, and readers of another block. Null when it was never made. */
static Rare *rare_of(const Now *n, Cell *c, u32 make) {
    Sim *s = n->w->sim; Block *b = n->w->block;
    if (n->kind == FAULT_SHARED_RACE) {
        Rare *r = b->shared_rares + (c - b->shared_cells);
        if (c->rare) return r;
        if (!make) return NULL;
        memset(r, 0, sizeof *r);
        c->rare = 1;
        return r;
    }
    u64 me = c - s->cells;
    if (c->rare < s->rare_count && s->rares[c->rare].cell == me && c->rare) return &s->rares[c->rare];
    if (!make) return NULL;
    if (!s->rare_count) s->rare_count = 1;
    if (s->rare_count >= s->rare_room) {
        u32 room = s->rare_room ? s->rare_room * 2 : 1024;
        Rare *more = room <= 1u << 26 ? realloc(s->rares, room * sizeof *more) : NULL;
        if (!more) return NULL;
        s->rares = more; s->rare_room = room;
    }
    c->rare = s->rare_count++;
    s->rares[c->rare] = (Rare){.cell = me};
    return &s->rares[c->rare];
}

static void shadow_read(const Now *n, Cell *c, u32 strong) {
    Warp *w = n->w;
    Access *last = &c->readers.last;
    against_one(n, &c->write, RACE_WAS_WRITE);
    Rare *r = c->rare ? rare_of(n, c, 0) : NULL;
    if (r && !strong) against(n, &r->atomics, RACE_WAS_WRITE | RACE_ATOMIC);
    if (last->stamp >= n->floor && last->stamp != w->block->stamp && !last->strong
        && w->sim->stamp_block[last->stamp] != w->block->index && (r = rare_of(n, c, 1))) r->foreign = *last;
    join(w, &c->readers, n->lane, n->site, strong);
}

static void put_write(const Warp *w, Cell *c, u32 site, u32 lane) {
    c->write = (Access){w->block->stamp, w->tick, w->index * 32 + lane, 0, 0, site};
    memset(&c->readers, 0, sizeof c->readers);
}

static u32 is_untouched(const Cell *c, u32 floor) { return c->write.stamp < floor && c->readers.last.stamp < floor && !c->rare; }

static void shadow_write(const Now *n, Cell *c, u32 atomic, u32 same) {
    Warp *w = n->w;
    u32 now = RACE_IS_WRITE | (atomic ? RACE_ATOMIC : 0);
    Rare *r = c->rare || atomic ? rare_of(n, c, atomic) : NULL;
    against_one(n, &c->write, now | RACE_WAS_WRITE | (same && !atomic ? RACE_SAME_VALUE : 0));
    if (r && !atomic) against(n, &r->atomics, now | RACE_WAS_WRITE | RACE_ATOMIC);
    if (!(atomic && c->readers.last.strong)) against(n, &c->readers, now);
    if (r && r->foreign.stamp && w->sim->stamp_block[r->foreign.stamp] != w->block->index) against_one(n, &r->foreign, now);
    if (atomic) { if (r) join(w, &r->atomics, n->lane, n->site, 0); return; }
    put_write(w, c, n->site, n->lane);
    if (r) { r->atomics.last.stamp = 0; r->foreign.stamp = 0; }
}

/* Whether one more read changes nothing: nobody wrote, and threads of several warps have read since the barrier. */
static u32 is_known_read(const Cell *c, const Block *b, u32 floor) {
    return c->readers.last.stamp == b->stamp && c->readers.last.form == CROWD_WARPS && c->write.stamp < floor && !c->rare
        && !c->readers.last.strong;
}

u32 rt_are_known_reads(const Block *b, const Cell *cells, u32 shift, u64 from, u64 to) {
    for (u64 g = from >> shift; g <= (to - 1) >> shift; g++) if (!is_known_read(&cells[g], b, b->stamp)) return 0;
    return 1;
}

static u32 is_strong(const Site *info, u32 kind) {
    return info->op == OP_ATOMIC || (info->flags & SITE_STRONG && (kind == FAULT_GLOBAL_RACE || !(info->flags & SITE_VOLATILE)));
}

void rt_shadow(Warp *w, u32 kind, Cell *cells, u32 shift, u32 floor, u32 site, u32 lane, u64 offset, u64 address, u32 same) {
    const Site *info = &w->launch->sites[site];
    Now now = {w, kind, floor, site, lane, address};
    u32 strong = is_strong(info, kind);
    for (u64 g = offset >> shift; g <= (offset + info->size - 1) >> shift; g++) {
        if (info->op == OP_LOAD && is_known_read(&cells[g], w->block, floor)) continue;
        if (info->op == OP_STORE && !strong && is_untouched(&cells[g], floor)) put_write(w, &cells[g], site, lane);
        else if (info->op == OP_LOAD) shadow_read(&now, &cells[g], strong);
        else shadow_write(&now, &cells[g], strong, same >> lane & 1);
    }
}

/* Whether plain loads of lanes of one warp at one time need no look at order: nobody wrote, and all readers since the
 * floor are lanes of that warp at that time. */
static u32 is_quiet(const Warp *w, const Cell *c, u32 floor) {
    const Access *last = &c->readers.last;
    if (c->write.stamp >= floor || c->rare) return 0;
    if (last->stamp != w->block->stamp) return last->stamp < floor;
    return last->thread / 32 == w->index && last->tick == w->tick && !last->strong && last->form <= CROWD_LANES;
}

/* The lanes join the readers of a quiet granule, `top` as the last of them. */
static void join_together(Warp *w, Crowd *c, u32 lanes, u32 top, u32 site) {
    u32 all = lanes;
    if (c->last.stamp == w->block->stamp) all |= c->last.form == CROWD_LANES ? c->rest : BIT(c->last.thread & 31);
    u32 form = all & (all - 1) ? CROWD_LANES : CROWD_ONE;
    if (form == CROWD_LANES) c->rest = all;
    c->last = (Access){w->block->stamp, w->tick, w->index * 32 + top, form, 0, site};
}

void rt_shadow_loads(Warp *w, u32 kind, Cell *cells, u32 shift, u32 floor, u32 site, u32 mask, const u64 *offsets, const u64 *addresses) {
    const Site *info = &w->launch->sites[site];
    u32 strong = is_strong(info, kind);
    for (u32 left = mask; left;) {  /* lanes that follow each other and want the same are taken together */
        u32 run = 0, top;
        u64 at = offsets[w->down ? 31 - __builtin_clz(left) : __builtin_ctz(left)];
        FOR_LANES(left) { if (offsets[lane] != at) break; run |= BIT(lane); top = lane; }
        left &= ~run;
        u64 first = at >> shift, last = (at + info->size - 1) >> shift;
        u32 quiet = !strong;
        for (u64 g = first; g <= last && quiet; g++) quiet = is_quiet(w, &cells[g], floor) || is_known_read(&cells[g], w->block, floor);
        if (!quiet) { FOR_LANES(run) rt_shadow(w, kind, cells, shift, floor, site, lane, at, addresses[lane], 0); }
        else for (u64 g = first; g <= last; g++)
            if (!is_known_read(&cells[g], w->block, floor)) join_together(w, &cells[g].readers, run, top, site);
    }
}
