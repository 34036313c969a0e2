#ifndef CUDAPERF_UNISTD_H
#define CUDAPERF_UNISTD_H
/* For functions that stand beside the one that is read; calling the operating system from it is refused. */
#include <sys/types.h>
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define _SC_PAGESIZE 30
#define _SC_NPROCESSORS_ONLN 84
#endif
