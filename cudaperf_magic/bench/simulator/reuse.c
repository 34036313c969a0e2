/* Which words of global memory the warps of a block read, and which of them several warps read: what a copy in shared
 * memory would spare. A word counts once a warp, however often it is read, and no order of warps changes the counts. It
 * knows nothing of caches (cache.c) nor of what one warp reads again, which is for registers.
 */
#include <stdlib.h>
#include "sim.h"
#include "cost.h"

#define READ_LINE 128          /* bytes; a line has 32 words */
#define FEWEST_USES 256
#define MOST_USES (1u << 19)    /* a block that reads more lines than this is looked at afresh from there on */
enum { WHOLE_BLOCK = 32, OWNERS = 64 };

/* What one warp, or the block, read of one line; `met`: words that a second warp read. A use of an earlier block has a
 * lesser owner and is as good as an empty place. */
typedef struct { u64 owner; u32 line, words, met; } Use;
typedef struct Reads { Use *uses; u32 room, used; u64 block; } Reads;

void reuse_begin(Block *b) {
    if (!b->is_traced || b->warp_count < 2) return;
    if (!b->reads) b->reads = calloc(1, sizeof(Reads));
    if (!b->reads) return;
    b->reads->block += OWNERS;
    b->reads->used = 0;
}

void reuse_free(Block *b) {
    if (b->reads) free(b->reads->uses);
    free(b->reads);
    b->reads = NULL;
}

static Use *place_of(const Reads *r, u64 owner, u32 line) {
    u64 mixed = (owner << 32 ^ line) * 0x9e3779b97f4a7c15ull;
    u32 at = (u32)(mixed >> 40) & (r->room - 1);
    while (r->uses[at].owner >= r->block && (r->uses[at].owner != owner || r->uses[at].line != line)) at = (at + 1) & (r->room - 1);
    return &r->uses[at];
}

/* Twice the room, or, where there is no more to be had, an empty table. */
static u32 make_room(Reads *r) {
    Use *old = r->uses;
    u32 room = r->room, wider = room ? room * 2 : FEWEST_USES;
    Use *more = wider > MOST_USES ? NULL : calloc(wider, sizeof *more);
    if (!more) { r->block += OWNERS; r->used = 0; return room != 0; }
    r->uses = more; r->room = wider;
    for (u32 i = 0; i < room; i++) if (old[i].owner >= r->block) *place_of(r, old[i].owner, old[i].line) = old[i];
    free(old);
    return 1;
}

static Use *use_of(Reads *r, u32 who, u32 line) {
    u64 owner = r->block + who;
    Use *use = place_of(r, owner, line);
    if (use->owner != owner) { *use = (Use){owner, line, 0, 0}; r->used++; }
    return use;
}

static void note_line(Reads *r, SiteCost *cost, u32 warp, u32 line, u32 words) {
    if ((r->used + 2) * 4 > r->room * 3 && !make_room(r)) return;
    Use *own = use_of(r, warp, line);
    u32 fresh = words & ~own->words;
    if (!fresh) return;
    own->words |= fresh;
    Use *all = use_of(r, WHOLE_BLOCK, line);
    u32 again = fresh & all->words;
    cost->warp_words += __builtin_popcount(fresh);
    cost->again_words += __builtin_popcount(again);
    cost->met_words += __builtin_popcount(again & ~all->met);
    all->words |= fresh; all->met |= again;
}

/* An access is aligned to its size, which divides a line: none lies in two. */
void reuse_note(Warp *w, u32 site, const u64 *list, u32 n) {
    Reads *r = w->block->reads;
    if (!r || w->block->warp_count < 2) return;
    SiteCost *cost = &w->launch->costs[site];
    u64 arena = (u64)w->sim->arena, line = (list[0] - arena) / READ_LINE;
    u32 words = 0, own = (1u << (w->launch->sites[site].size + 3) / 4) - 1;
    for (u32 i = 0; i < n; i++) {
        u64 at = list[i] - arena;
        if (at / READ_LINE != line) {
            note_line(r, cost, w->index, (u32)line, words);
            line = at / READ_LINE; words = 0;
        }
        words |= own << at % READ_LINE / 4;
    }
    note_line(r, cost, w->index, (u32)line, words);
}
