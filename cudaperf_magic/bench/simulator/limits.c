/* What one run may use: loop iterations and processor time, counted after each turn of a warp. It says what ended, not why.
 */
#include <time.h>
#include "sim.h"
#include "faults.h"

static u32 is_late(Sim *s) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return s->cpu_limit_ns && (u64)now.tv_sec * 1000000000u + (u64)now.tv_nsec > s->cpu_limit_ns;
}

/* After a warp's turn: whether the run has to end because it has used up its steps or its time. */
u32 rt_is_used_up(Warp *w) {
    Sim *s = w->sim;
    s64 done = w->granted - (w->quantum > 0 ? w->quantum : 0);
    s->steps -= done;
    u32 late = (done > QUANTUM / 8 || ++s->turns % 64 == 0) && is_late(s);
    if (s->steps >= 0 && !late) return 0;
    u32 lane = w->live ? __builtin_ctz(w->live) : 0;
    u32 flags = (late ? LIMIT_TIME : 0) | (!w->live ? LIMIT_BLOCKS : s->unstarted ? LIMIT_UNSTARTED : 0);
    rt_fault_full(w, FAULT_RUNAWAY, NONE, w->index * 32 + lane, s->unstarted, w->pc[lane], NONE, NONE, 0, flags);
    s->stopped = 1;
    return 1;
}
