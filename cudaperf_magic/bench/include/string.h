#pragma once
/* memcpy and memset are built into NVRTC. */
#include <stddef.h>
