#ifndef CUDAPERF_TIME_H
#define CUDAPERF_TIME_H
/* Helpers that measure may stand beside the function; calling them from it is refused. */
#include <stddef.h>
typedef long time_t;
typedef long clock_t;
#define CLOCKS_PER_SEC 1000000L
#define CLOCK_MONOTONIC 1
struct timespec { time_t tv_sec; long tv_nsec; };
#endif
