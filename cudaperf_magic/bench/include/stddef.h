#pragma once
/* size_t and ptrdiff_t are built into NVRTC. */
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
