/* The caches between a kernel's requests and memory: an L1 of each multiprocessor and the L2 of the card. A model.
 *
 * What is modelled
 *   L1    128-byte lines of 32-byte sectors, 16 ways, hashed sets, least recently used out. Its size is what the launch's
 *         shared memory leaves of the unified memory. Loads allocate; stores write through and allocate nothing, but for
 *         those to local memory; volatile and .cg/.cv loads and atomics pass it by. It is empty when a launch begins.
 *   L2    the same, write-back, each sector dirty or not. A missing sector brings its neighbour along where the card
 *         fetches 64 bytes at a time. Where the chip has two halves, each line has its home in one; a multiprocessor of
 *         the other half reads and writes it through a copy in its own, so that data which both use fills the L2 twice.
 *         Atomics are done at home. It is empty when the plan begins and keeps what it holds from launch to launch.
 *         Of the lines of a set only MOST_DIRTY stay dirty and MOST_PARTLY partly written; the one written longest ago is
 *         then written to memory, though it stays. The rest of a partly written sector is read from memory before.
 *   order The simulator runs one block after the other, the hardware many at once. So requests are first written down;
 *         when as many blocks are done as the card holds at once, they are replayed: block i on multiprocessor
 *         i mod n, every resident warp one request in turn, no warp past a barrier before the others of its block.
 *         A window of blocks ends with the launch or when WINDOW entries are written down, and then holds fewer.
 * What is not
 *   Time, queues and hits on data still under way; that multiprocessors which ask for a line at the same time are given
 *   it by one read of L2 (fewer L2 reads on an H200 where blocks share data, up to a half; memory is read as often);
 *   instruction, constant and texture caches (some 3 KB of every launch's reads of memory); compression; persisting
 *   lines, eviction hints and prefetches; values that ptxas spills. A block
 *   that ends early is not replaced before its window ends. When only some blocks are traced, the caches see only these,
 *   and what they would have shared with the others is missed.
 * Bytes written to memory are those that had to leave L2 during the launch, as hardware counters have it: what is still dirty in L2
 * at its end is counted apart.
 */
#include <stdlib.h>
#include "sim.h"
#include "faults.h"

#define WAYS 16
#define WINDOW (1u << 20)
/* Fitted to what an H200 leaves in L2 after kernels that only write (tests/gpu/calibrate): 27 of 60 MB of whole sectors, and
 * a quarter of that of partly written ones. */
#define MOST_DIRTY 7
#define MOST_PARTLY 3

/* The most recently used way first. A tag is a line's number plus one; 0: empty. State: valid bits, dirty bits << 4. A
 * sector that is dirty and not valid is partly written. */
typedef struct { u32 tags[WAYS] __attribute__((aligned(16))); u8 state[WAYS]; } Set;
typedef struct { Set *sets; u32 count; } Level;

typedef struct { u32 line, next, epoch, words; u16 site; u8 sectors, kind; } Entry;
typedef struct { u32 head, tail; } Stream;  /* of one warp: first entry not yet replayed, and last */
typedef struct { u32 sm, epoch, moved, least, alive; } Resident;

enum { LAST_OF_REQUEST = 128 };

/* Which words of a partly written line are written; a line that falls on the same place takes it over. */
typedef struct { u32 tag, words; } Part;
#define PARTS (1u << 20)

typedef struct Caches {
    Level l1, l2[2];           /* l1: of all multiprocessors, one after the other, `count` sets each */
    u32 l1_room, launch;
    u32 *l1_launch;            /* by multiprocessor: the launch whose lines it holds */
    Entry *entries; u32 used;
    Part *parts;
    Stream *streams; u64 stream_room;
    Resident *residents; u64 resident_room;
    u32 placed, warps, limit;  /* of this window: blocks so far, warps of each, most blocks */
    u32 window;                /* its number; blocks remember theirs */
    u32 *of_sm; u64 of_sm_room;
} Caches;

/* ---- sets ---- */

static u32 set_index(u32 line, u32 count) {
    u32 mixed = (line ^ line >> 15) * 0x9e3779b1u;
    return (u32)((u64)(mixed ^ mixed >> 13) * count >> 32);
}

/* The way that holds `tag`, or WAYS. Four tags are compared at a time. */
static u32 way_of(const Set *set, u32 tag) {
    typedef u32 Four __attribute__((vector_size(16)));
    const Four *tags = (const Four *)set->tags;
    Four number = {1, 2, 3, 4}, found = {0};
    for (u32 i = 0; i < WAYS / 4; i++) found += (Four)(tags[i] == tag) & (number + 4 * i);
    u32 place = found[0] + found[1] + found[2] + found[3];
    return place ? place - 1 : WAYS;
}

/* Whether the set holds `tag`, which then moves to the front. */
static u32 is_found(Set *set, u32 tag) {
    if (set->tags[0] == tag) return 1;
    u32 way = way_of(set, tag);
    if (way == WAYS) return 0;
    u8 state = set->state[way];
    memmove(set->tags + 1, set->tags, way * sizeof *set->tags);
    memmove(set->state + 1, set->state, way);
    set->tags[0] = tag; set->state[0] = state;
    return 1;
}

/* Puts an empty line in front; returns the state of the one that leaves. */
static u8 allocate(Set *set, u32 tag) {
    u8 out = set->tags[WAYS - 1] ? set->state[WAYS - 1] : 0;
    memmove(set->tags + 1, set->tags, (WAYS - 1) * sizeof *set->tags);
    memmove(set->state + 1, set->state, WAYS - 1);
    set->tags[0] = tag; set->state[0] = 0;
    return out;
}

static Set *l2_set(Caches *c, u32 half, u32 line) { return &c->l2[half].sets[set_index(line, c->l2[half].count)]; }

/* Writes what is dirty to memory; the line is clean then, and whole where it was partly written. */
static void write_back(Sim *s, u8 *state) {
    u32 dirty = *state >> 4, rest = dirty & ~*state, written = (u32)__builtin_popcount(dirty);
    s->traffic.dram_write_sectors += written;
    s->traffic.dirty -= written;
    s->traffic.dram_read_sectors += (u32)__builtin_popcount(rest);
    *state = (*state & 15) | rest;
}

/* The state of a line in one half of L2, there from now on. */
static u8 *l2_line(Sim *s, u32 half, u32 line) {
    Set *set = l2_set(s->caches, half, line);
    if (!is_found(set, line + 1)) {
        u8 out = allocate(set, line + 1);
        write_back(s, &out);
    }
    return &set->state[0];
}

/* Cleans the line that was used longest ago when too many of its set are dirty or partly written. */
static void limit_dirty(Sim *s, Set *set) {
    u32 dirty = 0, partly = 0, oldest = 0, oldest_partly = 0;
    for (u32 way = 0; way < WAYS; way++) {
        u32 state = set->state[way];
        if (!(state >> 4)) continue;
        dirty++; oldest = way;
        if (state >> 4 & ~state) { partly++; oldest_partly = way; }
    }
    if (partly > MOST_PARTLY) write_back(s, &set->state[oldest_partly]);
    else if (dirty > MOST_DIRTY) write_back(s, &set->state[oldest]);
}

/* ---- L2 ---- */

static u32 home_of(Sim *s, u32 line) {
    return s->card.l2_partitions == 2 ? (u32)__builtin_parity(line * 0x85ebca6bu >> 7) : 0;
}

static u32 half_of(Sim *s, u32 sm) { return s->card.l2_partitions == 2 ? sm & 1 : 0; }

/* Sectors that come from memory when `missing` do. */
static u32 fetched(Sim *s, u32 missing) {
    if (s->card.fetch_sectors >= 4) return missing ? 15 : 0;
    if (s->card.fetch_sectors == 2) return (missing | missing << 1 & 10 | missing >> 1 & 5);
    return missing;
}

/* Makes sectors valid in the home of a line; returns how many come from memory for it. */
static u32 l2_fill(Sim *s, u8 *home, u32 sectors) {
    u32 more = fetched(s, sectors & ~*home) & ~*home & 15;
    u32 count = (u32)__builtin_popcount(more);
    *home |= more;
    s->traffic.dram_read_sectors += count;
    return count;
}

static void l2_read(Sim *s, SiteCost *cost, u32 sm, u32 line, u32 sectors) {
    u32 home = home_of(s, line), half = half_of(s, sm), want = (u32)__builtin_popcount(sectors), missed;
    s->traffic.l2_read_sectors += want;
    if (home == half) {
        u8 *state = l2_line(s, home, line);
        missed = (u32)__builtin_popcount(sectors & ~*state);
        cost->dram_bytes += 32 * l2_fill(s, state, sectors);
    } else {
        u8 *copy = l2_line(s, half, line);
        u32 absent = sectors & ~*copy;
        *copy |= sectors;
        if (!absent) { s->traffic.l2_read_hits += want; return; }
        u8 *state = l2_line(s, home, line);
        missed = (u32)__builtin_popcount(absent & ~*state);
        cost->dram_bytes += 32 * l2_fill(s, state, absent);
    }
    s->traffic.l2_read_hits += want - missed;
}

/* Sectors that become dirty at home, some of them wholly written. A copy in the other half is stale then, or as new where
 * the writer sits there. */
static u8 *l2_write(Sim *s, u32 line, u32 sectors, u32 whole, u32 is_near, u32 half) {
    u32 home = home_of(s, line);
    if (is_near && half != home) *l2_line(s, half, line) |= whole;
    else if (s->card.l2_partitions == 2) {
        Set *set = l2_set(s->caches, !home, line);
        u32 way = way_of(set, line + 1);
        if (way < WAYS) set->state[way] &= ~sectors;
    }
    u8 *state = l2_line(s, home, line);
    u32 old = *state;
    s->traffic.dirty += (u32)__builtin_popcount(sectors & ~(old >> 4));
    *state |= sectors << 4 | whole;
    if (!(old >> 4) || (sectors & ~whole & ~old)) limit_dirty(s, l2_set(s->caches, home, line));
    return state;
}

/* ---- L1 ---- */

/* Those of `sectors` that L1 does not hold; it does from now on. */
static u32 l1_missing(Caches *c, u32 sm, u32 line, u32 sectors) {
    Set *set = &c->l1.sets[(u64)sm * c->l1.count + set_index(line, c->l1.count)];
    if (!is_found(set, line + 1)) allocate(set, line + 1);
    u32 missing = sectors & ~set->state[0];
    set->state[0] |= sectors;
    return missing;
}

/* ---- one entry ---- */

/* Those of `sectors` all of whose words are written now. `fresh`: those of which none was before. */
static u32 wholly_written(Caches *c, u32 line, u32 sectors, u32 fresh, u32 words) {
    u32 whole = 0, all = words;
    if (words != ~0u) {
        Part *part = &c->parts[line * 0x9e3779b1u >> 12];
        if (part->tag != line + 1) *part = (Part){line + 1, 0};
        for (u32 i = 0; i < 4; i++) if (fresh >> i & 1) part->words &= ~(0xffu << 8 * i);
        all = part->words |= words;
    }
    for (u32 i = 0; i < 4; i++) if ((all >> 8 * i & 0xff) == 0xff) whole |= 1u << i;
    return whole & sectors;
}

static void store(Sim *s, u32 sm, u32 line, u32 sectors, u32 words) {
    u32 old = *l2_line(s, home_of(s, line), line);
    s->traffic.l2_write_sectors += (u32)__builtin_popcount(sectors);
    u32 whole = wholly_written(s->caches, line, sectors, sectors & ~(old >> 4), words);
    l2_write(s, line, sectors, whole | (sectors & old), 1, half_of(s, sm));
}

static void play(Launch *L, u32 sm, const Entry *e) {
    Sim *s = L->sim;
    SiteCost *cost = &L->costs[e->site];
    u32 line = e->line, sectors = e->sectors, count = (u32)__builtin_popcount(sectors), missing, missed;
    switch (e->kind & ~LAST_OF_REQUEST) {
    case CACHE_LOAD:
        missing = l1_missing(s->caches, sm, line, sectors);
        missed = (u32)__builtin_popcount(missing);
        s->traffic.l1_sectors += count;
        s->traffic.l1_hits += count - missed;
        cost->l1_missed += missed;
        if (missing) l2_read(s, cost, sm, line, missing);
        break;
    case CACHE_LOAD_PAST_L1: l2_read(s, cost, sm, line, sectors); break;
    case CACHE_STORE: store(s, sm, line, sectors, e->words); break;
    case CACHE_ATOMIC:
        s->traffic.l2_atomic_sectors += count;
        cost->dram_bytes += 32 * l2_fill(s, l2_line(s, home_of(s, line), line), sectors);
        l2_write(s, line, sectors, sectors, 0, 0);
        break;
    case CACHE_LOCAL_LOAD:
        missing = l1_missing(s->caches, sm, line, sectors);
        if (missing) l2_read(s, cost, sm, line, missing);
        break;
    case CACHE_LOCAL_STORE:
        l1_missing(s->caches, sm, line, sectors);
        store(s, sm, line, sectors, ~0u);
        break;
    }
}

/* ---- the window ---- */

static void *room(void *old, u64 *has, u64 needed, u64 each) {
    if (*has >= needed) return old;
    void *more = realloc(old, needed * each);
    if (more) *has = needed; else free(old);
    return more;
}

/* One request of a warp, unless it has to wait for the others of its block. Whether it has more. */
static u32 step(Launch *L, Resident *r, Stream *stream) {
    Entry *entries = ((Caches *)L->sim->caches)->entries, *e = &entries[stream->head];
    if (e->epoch > r->epoch) {
        if (e->epoch < r->least) r->least = e->epoch;
        return 1;
    }
    r->moved++;
    for (;; e = &entries[e->next]) {
        play(L, r->sm, e);
        if (e->next == NONE) return 0;
        stream->head = e->next;
        if (e->kind & LAST_OF_REQUEST) return 1;
    }
}

/* One turn of every warp of a block; the barrier opens when none could move. */
static void turn(Launch *L, Resident *r, Stream *streams, u32 warps) {
    r->moved = 0; r->least = NONE;
    for (u32 i = 0; i < warps; i++) {
        if (streams[i].head == NONE) continue;
        if (!step(L, r, &streams[i])) { streams[i].head = NONE; r->alive--; }
    }
    if (!r->moved) r->epoch = r->least;
}

static void replay(Launch *L) {
    Caches *c = L->sim->caches;
    u32 left = c->placed, *list = c->of_sm;
    for (u32 i = 0; i < left; i++) list[i] = i;
    while (left) {
        u32 kept = 0;
        for (u32 i = 0; i < left; i++) {
            Resident *r = &c->residents[list[i]];
            turn(L, r, &c->streams[(u64)list[i] * c->warps], c->warps);
            if (r->alive) list[kept++] = list[i];
        }
        left = kept;
    }
    c->placed = c->used = 0;
    c->window++;
}

/* A place in the window for a block that has none yet. */
static u32 settle_in(Launch *L, Block *b) {
    Caches *c = L->sim->caches;
    u32 at = c->placed++, sm = (u32)(b->ordinal % L->sim->card.multiprocessors);
    c->residents[at] = (Resident){.sm = sm};
    for (u32 i = 0; i < c->warps; i++) c->streams[(u64)at * c->warps + i] = (Stream){NONE, NONE};
    if (c->l1_launch[sm] != c->launch) {
        memset(&c->l1.sets[(u64)sm * c->l1.count], 0, c->l1.count * sizeof(Set));
        c->l1_launch[sm] = c->launch;
    }
    b->window = c->window; b->place = at;
    return at;
}

void cache_note(Warp *w, u32 site, u32 kind, u64 line, u32 sectors, u32 words, u32 is_last) {
    Sim *s = w->sim;
    Caches *c = s->caches;
    Block *b = w->block;
    if (!c) return;
    if (c->used == WINDOW || (b->window != c->window && c->placed == c->limit)) replay(w->launch);
    u32 at = b->window == c->window ? b->place : settle_in(w->launch, b), index = c->used++;
    u8 last = is_last ? LAST_OF_REQUEST : 0;
    c->entries[index] = (Entry){(u32)line, NONE, b->stamp, words, (u16)site, (u8)sectors, (u8)(kind | last)};
    Stream *stream = &c->streams[(u64)at * c->warps + w->index];
    if (stream->head == NONE) { stream->head = index; c->residents[at].alive++; }
    else c->entries[stream->tail].next = index;
    stream->tail = index;
}

/* Local memory lies behind the arena: a region for each warp that can be resident, reused by the blocks that follow. */
void cache_note_local(Warp *w, u32 site, u32 is_store, u64 row, u32 sectors, u32 is_last) {
    Sim *s = w->sim;
    Launch *L = w->launch;
    if (!s->caches) return;
    u64 sms = s->card.multiprocessors, resident = L->resident ? L->resident : 1, ordinal = w->block->ordinal;
    u64 place = ordinal % sms * resident + ordinal / sms % resident, rows = (L->local_bytes + 3) / 4;
    u64 warp = place * ((Caches *)s->caches)->warps + w->index;
    u64 line = s->arena_bytes / 128 + 1 + warp * rows + row;
    cache_note(w, site, is_store ? CACHE_LOCAL_STORE : CACHE_LOCAL_LOAD, line, sectors, ~0u, is_last);
}

/* ---- a launch, a run ---- */

void cache_begin(Launch *L) {
    Sim *s = L->sim;
    Caches *c = s->caches;
    if (!c) return;
    u32 sets = L->l1_bytes / (128 * WAYS), sms = s->card.multiprocessors;
    c->warps = (L->block[0] * L->block[1] * L->block[2] + 31) / 32;
    c->limit = sms * (L->resident ? L->resident : 1);
    c->l1.count = sets ? sets : 1;
    c->launch++; c->window++;
    c->placed = c->used = 0;
    if (c->l1.count > c->l1_room) {
        free(c->l1.sets);
        c->l1.sets = malloc((u64)sms * c->l1.count * sizeof(Set));
        c->l1_room = c->l1.count;
    }
    c->streams = room(c->streams, &c->stream_room, (u64)c->limit * c->warps, sizeof(Stream));
    c->residents = room(c->residents, &c->resident_room, c->limit, sizeof(Resident));
    c->of_sm = room(c->of_sm, &c->of_sm_room, c->limit, sizeof(u32));
    if (!c->l1.sets || !c->streams || !c->residents || !c->of_sm) s->stopped = 1;
}

void cache_end(Launch *L) { if (L->sim->caches) replay(L); }

int cache_open(Sim *s) {
    if (!s->card.l2_bytes) return 0;
    Caches *c = s->caches = calloc(1, sizeof(Caches));
    if (!c) return -1;
    u32 sets = (u32)(s->card.l2_bytes / s->card.l2_partitions / (128 * WAYS));
    for (u32 half = 0; half < s->card.l2_partitions; half++) c->l2[half] = (Level){calloc(sets, sizeof(Set)), sets};
    c->l1_launch = calloc(s->card.multiprocessors, sizeof *c->l1_launch);
    c->entries = malloc(WINDOW * sizeof(Entry));
    c->parts = calloc(PARTS, sizeof(Part));
    return c->l2[0].sets && c->l2[s->card.l2_partitions - 1].sets && c->l1_launch && c->entries && c->parts ? 0 : -1;
}

void cache_close(Sim *s) {
    Caches *c = s->caches;
    if (!c) return;
    free(c->l1.sets); free(c->l2[0].sets); free(c->l2[1].sets); free(c->l1_launch);
    free(c->entries); free(c->parts); free(c->streams); free(c->residents); free(c->of_sm);
    free(c);
    s->caches = NULL;
}
