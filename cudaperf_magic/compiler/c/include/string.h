#ifndef CUDAPERF_STRING_H
#define CUDAPERF_STRING_H
/* memset, memcpy and memmove are known to the reader by name: it turns them into loops. */
#include <stddef.h>
#endif
