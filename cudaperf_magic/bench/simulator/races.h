/* What races.c offers to the scheduler and to the tracer. */
#ifndef RACES_H
#define RACES_H
#include "sim.h"
void rt_met(Warp *w, u32 ready, const u32 *members);
void rt_arrived(Warp *w, u32 mask, u32 id);
void rt_released_some(Block *b, u32 id);
void rt_new_interval(Block *b);
void rt_fence(Warp *w, u32 mask);
void rt_hand_over(Warp *w, u32 mask, const u64 *addresses, const Site *info);
void rt_shadow(Warp *w, u32 kind, Cell *cells, u32 shift, u32 floor, u32 site, u32 lane, u64 offset, u64 address, u32 same);
/* The same for the loads of all lanes of `mask`, in turn. */
void rt_shadow_loads(Warp *w, u32 kind, Cell *cells, u32 shift, u32 floor, u32 site, u32 mask, const u64 *offsets, const u64 *addresses);
/* Whether loads of [from, to) of memory that only this block sees would change nothing. */
u32 rt_are_known_reads(const Block *b, const Cell *cells, u32 shift, u64 from, u64 to);
#endif
