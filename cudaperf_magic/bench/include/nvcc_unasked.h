#pragma once
/* What nvcc's own headers bring in before a program's first line, and NVRTC leaves out. */
#include <limits.h>
#include <math.h>
#include <stddef.h>
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned short ushort;
