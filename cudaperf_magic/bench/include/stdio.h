#pragma once
/* printf is built into NVRTC. */
#include <stddef.h>
