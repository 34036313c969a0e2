#ifndef CUDAPERF_PTHREAD_H
#define CUDAPERF_PTHREAD_H
/* For functions that stand beside the one that is read; starting threads from it is refused. */
#include <sys/types.h>
typedef unsigned long pthread_t;
typedef struct { long held[8]; } pthread_attr_t;
typedef struct { long held[8]; } pthread_mutex_t;
typedef struct { long held[8]; } pthread_barrier_t;
#define PTHREAD_MUTEX_INITIALIZER { { 0 } }
#endif
