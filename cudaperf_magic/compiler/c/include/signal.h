#ifndef CUDAPERF_SIGNAL_H
#define CUDAPERF_SIGNAL_H
/* Nothing that a function on arrays needs; it is here so that the #include line is no trouble. */
#include <sys/types.h>
#endif
