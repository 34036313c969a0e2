/* What the cache model counts, and how the rest of the runtime speaks to it. What it models: cache.c. */
#ifndef CACHE_H
#define CACHE_H

/* Sectors of 32 bytes. `dirty` is a state, not a sum: those in L2 now that memory does not have yet. */
typedef struct {
    u64 l1_sectors, l1_hits;
    u64 l2_read_sectors, l2_read_hits, l2_write_sectors, l2_atomic_sectors;
    u64 dram_read_sectors, dram_write_sectors;
    u64 dirty;
} Traffic;

/* The card whose caches are modelled; `l2_bytes` of 0: no model. `fetch_sectors` come from memory together. */
typedef struct { u32 multiprocessors, l2_partitions, fetch_sectors; u64 l2_bytes; } Card;

enum { CACHE_LOAD, CACHE_LOAD_PAST_L1, CACHE_STORE, CACHE_ATOMIC, CACHE_LOCAL_LOAD, CACHE_LOCAL_STORE };

struct Sim; struct Launch; struct Warp;
int cache_open(struct Sim *s);
void cache_close(struct Sim *s);
void cache_begin(struct Launch *L);
/* Some sectors (bits 0 to 3) of one line of 128 bytes, and which of its words of 4 bytes a store writes; `is_last`: of this
 * request of the warp. */
void cache_note(struct Warp *w, u32 site, u32 kind, u64 line, u32 sectors, u32 words, u32 is_last);
/* The same of a row of local memory: one word of each lane, 128 bytes. */
void cache_note_local(struct Warp *w, u32 site, u32 is_store, u64 row, u32 sectors, u32 is_last);
void cache_end(struct Launch *L);
#endif
