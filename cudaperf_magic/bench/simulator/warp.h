/* What generated code calls beyond sim.h: matrices, asynchronous copies and mbarriers. Included after sim.h. */
#ifndef WARP_H
#define WARP_H
#include "sim.h"
/* tensor.c */
void rt_whole_warp(Warp *w, u32 site);
void rt_mma(const u8 kinds[4], const u8 words[4], const u16 mnk[3], u32 flags, u32 mode, const u32 *a, const u32 *b, const u32 *c, u32 *d);
void rt_fragment(u32 *fragment, u8 *tile, u32 words, u32 bits, u32 rows, u32 columns, u32 is_by_column, u32 is_store);
#endif
