#ifndef CUDAPERF_STDLIB_H
#define CUDAPERF_STDLIB_H
/* The functions themselves are known to the reader by name: abs is taken, malloc and rand are refused with a reason. */
#include <stddef.h>
#define RAND_MAX 2147483647
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#endif
