/* The kinds of fault, in the order in which faults/ tells them. */
#ifndef FAULTS_H
#define FAULTS_H
enum {
    FAULT_OUT_OF_BOUNDS, FAULT_MISALIGNED, FAULT_SHARED_OUT_OF_BOUNDS, FAULT_LOCAL_OUT_OF_BOUNDS,
    FAULT_UNINITIALISED_GLOBAL, FAULT_UNINITIALISED_SHARED, FAULT_SHARED_RACE, FAULT_GLOBAL_RACE,
    FAULT_EXITED_LANE, FAULT_NOT_A_MEMBER, FAULT_MISSING_LANE, FAULT_EXITED_THREAD, FAULT_TWO_BARRIERS,
    FAULT_BARRIER_NEVER, FAULT_RUNAWAY, FAULT_TRAP, FAULT_ASSERT, FAULT_PRINTF, FAULT_WILD,
    FAULT_NOT_LANDED, FAULT_TOO_MANY_ARRIVE, FAULT_ASTRAY
};
/* How the two accesses of a race stand to each other. */
enum { RACE_WAS_WRITE = 1, RACE_IS_WRITE = 2, RACE_SAME_VALUE = 4, RACE_ATOMIC = 8, RACE_OTHER_BLOCK = 16, RACE_SAME_WARP = 32 };
/* What ended an endless run: its processor time, not its steps; only after its warp had ended: there are too many blocks;
 * while blocks wait for their turn that cannot start before others end. */
enum { LIMIT_TIME = 1, LIMIT_BLOCKS = 2, LIMIT_UNSTARTED = 4 };
#define NONE 0xffffffffu
void rt_fault_full(struct Warp *w, u32 kind, u32 site, u32 thread, u64 address, u64 extra, u32 other_site,
                   u32 other_thread, u64 other_block, u32 flags);
#endif
