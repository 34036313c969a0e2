/* What generated code calls beyond sim.h: matrices, asynchronous copies and mbarriers. Included after sim.h. */
#ifndef WARP_H
#define WARP_H
#include "sim.h"
/* tensor.c */
void rt_whole_warp(Warp *w, u32 site);
void rt_mma(const u8 kinds[4], const u8 words[4], const u16 mnk[3], u32 flags, u32 mode, const u32 *a, const u32 *b, const u32 *c, u32 *d);
void rt_fragment(u32 *fragment, u8 *tile, u32 words, u32 bits, u32 rows, u32 columns, u32 is_by_column, u32 is_store);
/* async.c */
struct Copies;
void rt_copy(Warp *w, u32 lane, u32 site, u8 *to, const u8 *from, u32 size);
void rt_copies_commit(Warp *w, u32 lane);
void rt_copies_wait(Warp *w, u32 mask, u32 pending, u32 all);
void rt_copies_arrive(Warp *w, u32 lane, u32 site, u8 *at, u32 is_counted);
void rt_copies_settle(Warp *w);
void rt_copy_bulk(Warp *w, u32 lane, u32 site, u32 from_site, u32 at_site, u64 to, u64 from, u32 size, u8 *at);
void rt_drop_copies(Block *b);
u64 rt_mbarrier_start(u32 count);
u32 rt_mbarrier_phase(u64 v);
u32 rt_mbarrier_pending(u64 v);
void rt_mbarrier_expect(u8 *at, s32 bytes);
u64 rt_mbarrier_arrive(Warp *w, u32 lane, u32 site, u8 *at, u32 count, s32 bytes, u32 flags);
u32 rt_mbarrier_is_over(Warp *w, const u8 *at, u32 phase);
void rt_give_way(Warp *w);
/* trace.c */
void rt_check(Warp *w, u32 site, u32 lane, u64 address, u32 has_landed);
void rt_release(Warp *w, u32 site, u32 lane, u64 address);
#endif
