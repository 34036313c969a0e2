/* What the requests of a warp cost, as hardware counts them: sectors, wavefronts, lanes that meet in an atomic. It hands
 * sectors on to the caches (cache.c) and keeps what pictures are drawn from; it looks for no faults (trace.c).
 */
#include "sim.h"
#include "cost.h"

#define SECTOR 32

u32 cost_ascending(u32 mask, const u64 *addresses, u64 *list) {
    u32 n = 0, sorted = 1;
    if (mask == ~0u) {
        for (u32 i = 1; i < 32; i++) sorted &= addresses[i] >= addresses[i - 1];
        memcpy(list, addresses, 32 * sizeof *list);
        n = 32;
    } else for (u32 m = mask; m; m &= m - 1) {
        list[n] = addresses[__builtin_ctz(m)];
        if (n && list[n] < list[n - 1]) sorted = 0;
        n++;
    }
    for (u32 i = 1; !sorted && i < n; i++) {
        u64 a = list[i]; u32 j = i;
        while (j && list[j - 1] > a) { list[j] = list[j - 1]; j--; }
        list[j] = a;
    }
    return n;
}

/* ---- global memory ---- */

static u32 kind_of(const Site *info) {
    if (info->op == OP_ATOMIC) return CACHE_ATOMIC;
    if (info->op == OP_STORE) return CACHE_STORE;
    return info->flags & (SITE_STRONG | SITE_PAST_L1) ? CACHE_LOAD_PAST_L1 : CACHE_LOAD;
}

/* Lanes of an atomic that meet at an address go one after the other, each turn with a sector of its own. Lanes at other
 * addresses of the sector share the turns. What is left out: now and then hardware lets lanes wait whose addresses differ
 * (under 2 % more sectors for random ones on an H200). */
static u32 further_turns(const u64 *list, u32 n) {
    u32 turns = 0, most = 1, run = 1;
    for (u32 i = 1; i <= n; i++) {
        if (i < n && list[i] == list[i - 1]) { if (++run > most) most = run; continue; }
        run = 1;
        if (i == n || list[i] / SECTOR != list[i - 1] / SECTOR) { turns += most - 1; most = 1; }
    }
    return turns;
}

/* The words of a line, as bits, that bytes [at, to) have in one of its sectors. */
static u32 words_in(u64 sector, u64 at, u64 to) {
    u64 start = sector * SECTOR, from = at > start ? at - start : 0, end = to < start + SECTOR ? to - start : SECTOR;
    return ((2u << (end - 1) / 4) - (1u << from / 4)) << 8 * (sector & 3);
}

/* Every sector that a lane touches, once a request; those of an atomic once a turn. */
void cost_global(Warp *w, u32 site, const u64 *list, u32 n) {
    Sim *s = w->sim;
    const Site *info = &w->launch->sites[site];
    SiteCost *cost = &w->launch->costs[site];
    u64 arena = (u64)s->arena, unique = 0, end = 0, next = 0, sectors = 0, line = ~0ull;
    u32 parts = 0, words = 0, kind = kind_of(info);
    u8 touch = info->op == OP_LOAD ? 1 : 2;
    for (u32 i = 0; i < n; i++) {
        u64 at = list[i] - arena, to = at + info->size, from = at > end ? at : end;
        while (i + 1 < n && list[i + 1] - arena <= to) to = list[++i] - arena + info->size;  /* lanes side by side */
        if (to > from) { unique += to - from; end = to; }
        u64 sector = at / SECTOR > next ? at / SECTOR : next, last = (to - 1) / SECTOR;
        if (kind == CACHE_STORE && at / SECTOR < next) words |= words_in(at / SECTOR, at, to);
        for (; sector <= last; sector++) {
            sectors++;
            if (sector >> 2 != line) {
                if (parts) cache_note(w, site, kind, line, parts, words, 0);
                line = sector >> 2; parts = 0; words = 0;
            }
            parts |= 1u << (sector & 3);
            if (kind == CACHE_STORE) words |= words_in(sector, at, to);
            if (s->touched && sector < s->arena_bytes / SECTOR) s->touched[sector] |= touch;
        }
        if (sector > next) next = sector;
    }
    if (parts) cache_note(w, site, kind, line, parts, words, 1);
    if (info->op == OP_ATOMIC && !(info->flags & SITE_COMBINED)) {
        u32 more = further_turns(list, n);
        sectors += more;
        s->traffic.l2_atomic_sectors += more;
    }
    cost->sectors += sectors;
    cost->ideal_sectors += (unique + SECTOR - 1) / SECTOR;
}

/* ---- local memory ---- */

/* Word w of all lanes lies together, lane after lane, in a row of 128 bytes: eight lanes that touch the same word touch
 * one sector. */
void cost_local(Warp *w, u32 site, u32 mask, const u64 *offsets) {
    const Site *info = &w->launch->sites[site];
    u64 rows[256]; u8 parts[256]; u32 count = 0;
    for (u32 m = mask; m; m &= m - 1) {
        u32 lane = __builtin_ctz(m);
        u64 at = offsets[lane];
        for (u64 row = at / 4; row <= (at + info->size - 1) / 4; row++) {
            u32 i = count;
            while (i && rows[i - 1] != row) i--;
            if (!i) { rows[count] = row; parts[count] = 0; i = ++count; }
            parts[i - 1] |= 1u << lane / 8;
        }
    }
    for (u32 i = 0; i < count; i++) {
        w->launch->costs[site].local_sectors += __builtin_popcount(parts[i]);
        cache_note_local(w, site, info->op != OP_LOAD, rows[i], parts[i], i == count - 1);
    }
}

/* ---- shared memory ---- */

/* Whether every lane asks for what the lane `apart` from it asks for, as far as both take part. */
static u32 neighbours_meet(u32 mask, const u64 *addresses, u32 apart) {
    for (u32 m = mask; m; m &= m - 1) {
        u32 lane = __builtin_ctz(m), other = lane ^ apart;
        if (mask >> other & 1 && addresses[lane] != addresses[other]) return 0;
    }
    return 1;
}

/* Lanes that go at once. Accesses of 8 bytes go by half warps, of 16 by quarters; a load whose neighbouring lanes meet, in
 * pairs or two apart, goes by twice as many. Measured on an H200 with patterns of lanes (tests/gpu/calibrate). */
static u32 lanes_a_pass(const Site *info, u32 mask, const u64 *addresses) {
    u32 size = info->size, can_meet = info->op == OP_LOAD && !(info->flags & SITE_MATRIX);
    if (size <= 4) return 32;
    u32 meet = can_meet && (neighbours_meet(mask, addresses, 1) || neighbours_meet(mask, addresses, 2));
    return (size == 8 ? 16 : 8) << meet;
}

/* The most words that the lanes want of one bank. Lanes that want the same word count once if they are served together. */
static u32 conflicts(u32 lanes, const u64 *addresses, u32 size, u32 together) {
    u64 words[32][4]; u8 depth[32] = {0}; u32 worst = 0;
    u64 more[128]; u32 extra = 0;  /* words beyond the fourth of a bank */
    for (u32 m = lanes; m; m &= m - 1) {
        u64 at = addresses[__builtin_ctz(m)];
        for (u64 word = at / 4; word <= (at + size - 1) / 4; word++) {
            u32 bank = word & 31, seen = 0, held = depth[bank] < 4 ? depth[bank] : 4;
            if (together) {
                for (u32 i = 0; i < held && !seen; i++) seen = words[bank][i] == word;
                for (u32 i = 0; depth[bank] > 4 && i < extra && !seen; i++) seen = more[i] == word;
            }
            if (seen) continue;
            if (held < 4) words[bank][held] = word; else more[extra++] = word;
            if (++depth[bank] > worst) worst = depth[bank];
        }
    }
    return worst;
}

/* Banks are 4 bytes wide. Lanes that ask for one word get it at once, unless each adds to it. */
void cost_shared(SiteCost *cost, const Site *info, u32 mask, const u64 *addresses) {
    u32 size = info->size, at_once = lanes_a_pass(info, mask, addresses);
    u32 together = info->op != OP_ATOMIC || info->flags & SITE_COMBINED;
    for (u32 first = 0; first < 32; first += at_once) {
        u32 lanes = mask & (u32)((1ull << (first + at_once)) - (1ull << first));
        u64 low = ~0ull, high = 0;
        for (u32 m = lanes; m; m &= m - 1) {
            u64 at = addresses[__builtin_ctz(m)];
            if (at < low) low = at;
            if (at > high) high = at;
        }
        if (!lanes) continue;
        u32 is_one_row = together && (high + size - 1) / 4 - low / 4 < 32;  /* then no two words share a bank */
        cost->wavefronts += is_one_row ? 1 : conflicts(lanes, addresses, size, together);
        cost->ideal_wavefronts++;
    }
}

void cost_atomic(SiteCost *cost, const u64 *list, u32 n) {
    u32 run = 1, worst = 1;
    for (u32 i = 1; i < n; i++) {
        run = list[i] == list[i - 1] ? run + 1 : 1;
        if (run > worst) worst = run;
    }
    cost->collisions += worst - 1;
    if (worst > cost->worst_collision) cost->worst_collision = worst;
}

/* ---- what is kept for pictures and for guesses ---- */

void cost_keep_worst(Warp *w, u32 site, u32 space, u32 mask, const u64 *addresses, u64 units, u64 ideal) {
    WorstRequest *kept = w->launch->worst;
    if (!kept) return;
    kept += site;
    s64 more = (s64)(units - ideal) - ((s64)kept->units - kept->ideal);
    if (kept->mask && (more < 0 || (more == 0 && __builtin_popcount(mask) <= __builtin_popcount(kept->mask)))) return;
    memcpy(kept->addresses, addresses, sizeof kept->addresses);
    kept->block = w->block->index; kept->warp = w->index; kept->mask = mask; kept->space = space;
    kept->units = (u32)units; kept->ideal = (u32)ideal;
}

void cost_note_reach(Sim *s, u32 site, const u64 *list, u32 n, u32 size) {
    while (n--) {
        const Buffer *b = rt_buffer(s, site, list[n]);
        if (!b) continue;
        u64 end = list[n] + size - b->start, *reach = &s->reach[b - s->buffers];
        if (end > *reach) *reach = end;
        while (n && list[n - 1] >= b->start) n--;
    }
}
