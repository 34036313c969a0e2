#pragma once
/* abs, malloc and free are built into NVRTC. */
#include <stddef.h>
