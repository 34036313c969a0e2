#ifndef CUDAPERF_SYS_RESOURCE_H
#define CUDAPERF_SYS_RESOURCE_H
#include <sys/time.h>
#define RUSAGE_SELF 0
struct rusage { struct timeval ru_utime, ru_stime; long ru_maxrss; };
#endif
