#ifndef CUDAPERF_SCHED_H
#define CUDAPERF_SCHED_H
/* Nothing that a function on arrays needs; it is here so that the #include line is no trouble. */
#include <sys/types.h>
#endif
