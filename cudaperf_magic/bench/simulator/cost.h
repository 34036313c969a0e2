/* What an access of a warp costs. Addresses of global memory come as `list`: those of the active lanes, ascending. */
#ifndef COST_H
#define COST_H
u32 cost_ascending(u32 mask, const u64 *addresses, u64 *list);
void cost_global(struct Warp *w, u32 site, const u64 *list, u32 n);
void cost_local(struct Warp *w, u32 site, u32 mask, const u64 *offsets);
void cost_shared(SiteCost *cost, const Site *info, u32 mask, const u64 *addresses);
void cost_atomic(SiteCost *cost, const u64 *list, u32 n);
void cost_keep_worst(struct Warp *w, u32 site, u32 space, u32 mask, const u64 *addresses, u64 units, u64 ideal);
void cost_note_reach(Sim *s, u32 site, const u64 *list, u32 n, u32 size);
/* reuse.c */
void reuse_begin(struct Block *b);
void reuse_note(struct Warp *w, u32 site, const u64 *list, u32 n);
void reuse_free(struct Block *b);
#endif
